import { expect } from 'chai'
import { isPlainPath, sshArguments } from '../../../../lib/git/ssh/command.ts'

const login = { keyFile: '/etc/tallyman/a key', knownHostsFile: '/etc/tallyman/known_hosts' }

describe('the command line of ssh', () => {
  it('ends with host and command, after which nothing is an option, and the path is one word for the shell', () => {
    const address = { user: 'git', host: 'git.example.com', port: 2222, path: "team/it's $(here)!.git" }
    expect(sshArguments(address, login, 10_000).slice(-7)).to.deep.equal([
      '-p',
      '2222',
      '-l',
      'git',
      '--',
      'git.example.com',
      "git-upload-pack 'team/it'\\''s $(here)'\\!'.git'",
    ])
  })

  it('G24 takes no settings but its own, asks nobody, trusts no new host and forwards nothing', () => {
    const args = sshArguments({ user: 'git', host: 'h', port: 22, path: 'm' }, login, 500)
    expect(args.slice(0, 2)).to.deep.equal(['-F', '/dev/null'])
    expect(args).to.include.members([
      'BatchMode=yes',
      'StrictHostKeyChecking=yes',
      'UserKnownHostsFile="/etc/tallyman/known_hosts"',
      'GlobalKnownHostsFile=/dev/null',
      'IdentityFile="/etc/tallyman/a key"',
      'IdentitiesOnly=yes',
      'IdentityAgent=none',
      'ForwardAgent=no',
      'ClearAllForwardings=yes',
      'ProxyCommand=none',
      'PermitLocalCommand=no',
      'ConnectTimeout=1',
    ])
  })

  it('is told no path that ssh would read in a way of its own', () => {
    expect(['/a b/key', '/ä/key'].map(isPlainPath)).to.deep.equal([true, true])
    expect(['/a"b', '/a%h', '/${HOME}/k', '~/k', '/a\\b', '/a\nb'].map(isPlainPath)).to.deep.equal(
      Array.from({ length: 6 }, () => false),
    )
  })
})
