import { expect } from 'chai'
import { refusalOf } from '../../../../lib/git/ssh/refusal.ts'

const address = { url: 'ssh://git@h/team/m.git', host: 'h' }
const login = { knownHostsFile: '/etc/known_hosts' }

describe('what ssh and servers say when there is no answer', () => {
  const cases: readonly (readonly [code: number, said: string, told: string])[] = [
    [
      255,
      'No ED25519 host key is known for h and you have requested strict checking.\r\nHost key verification failed.',
      'git-host-unknown: the ED25519 key of h is not in /etc/known_hosts',
    ],
    [
      255,
      'No RSA host key is known for h and you have requested strict checking.\r\nHost key verification failed.',
      'git-host-unknown: the RSA key of h is not in /etc/known_hosts',
    ],
    [255, 'Host key verification failed.', 'git-host-unknown: the key of h is not in /etc/known_hosts'],
    [
      255,
      '@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@\nThe fingerprint for the ECDSA key sent by the remote host is\nSHA256:a.\nHost key for h has changed and you have requested strict checking.\r\nHost key verification failed.',
      'git-host-changed: h shows another ECDSA key than the one in /etc/known_hosts',
    ],
    [
      255,
      '@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@\nHost key for h has changed and you have requested strict checking.\r\nHost key verification failed.',
      'git-host-changed: h shows another key than the one in /etc/known_hosts',
    ],
    [
      255,
      '@@@\n@ WARNING: REVOKED HOST KEY DETECTED! @\n@@@\nThe ED25519 host key for h is marked as revoked.\r\nHost key verification failed.',
      'git-host-changed: h shows a key that /etc/known_hosts revokes',
    ],
    [
      255,
      'git@h: Permission denied (publickey).',
      'git-auth-failed: the server knows no such user, or does not let this key in',
    ],
    [
      255,
      'ssh: connect to host h port 22: Connection timed out',
      'git-unreachable: ssh: connect to host h port 22: Connection timed out',
    ],
    [
      1,
      'ERROR: Repository not found.\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.',
      'git-not-found: ERROR: Repository not found.',
    ],
    [
      1,
      'remote:\nremote: ========\nremote:\nremote: ERROR: The project you were looking for could not be found.\nremote:\nremote: ========\n',
      'git-not-found: ERROR: The project you were looking for could not be found.',
    ],
    [1, 'Gitea: Cannot find repository: team/m', 'git-not-found: Gitea: Cannot find repository: team/m'],
    [127, 'sh: 1: git-upload-pack: not found', 'git-unreachable: sh: 1: git-upload-pack: not found'],
    [1, 'Permission denied by hook', 'git-unreachable: Permission denied by hook'],
    [255, '', 'git-unreachable: the answer breaks off'],
    [1, 'no \u001b[2Kluck\u202e', 'git-unreachable: no \u001b[2Kluck\u202e'],
  ]
  for (const [code, said, told] of cases)
    it(`are told as ${told}`, () => {
      const failure = refusalOf(address, login, { code, said })
      expect(`${failure.code}: ${failure.message}`).to.equal(told.replace(': ', ': ssh://git@h/team/m.git: '))
    })

  it('are told with the key that ssh could not load, which a server then refuses', () => {
    const said = 'Load key "/etc/tallyman/key": error in libcrypto\r\ngit@h: Permission denied (publickey).'
    const { code, message } = refusalOf(address, login, { code: 255, said })
    expect(`${code}: ${message}`).to.equal(
      'git-key-unusable: /etc/tallyman/key: ssh cannot load it (error in libcrypto)',
    )
  })
})
