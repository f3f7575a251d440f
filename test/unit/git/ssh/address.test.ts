import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { parseRepositoryAddress } from '../../../../lib/git/address.ts'
import { repositoryName } from '../../../../lib/state/identity.ts'

describe('an address of SSH', () => {
  it('is understood as people paste it', () => {
    expect(parseRepositoryAddress('git@git.example.com:team/manifests.git')).to.deep.equal({
      kind: 'ssh',
      name: 'ssh://git.example.com/team/manifests',
      url: 'ssh://git@git.example.com/team/manifests.git',
      user: 'git',
      host: 'git.example.com',
      port: 22,
      path: 'team/manifests.git',
    })
    expect(parseRepositoryAddress('ssh://ada%40corp@[2001:DB8::1]:2222/srv/m%20n.git/')).to.deep.equal({
      kind: 'ssh',
      name: 'ssh://[2001:db8::1]:2222/srv/m n',
      url: 'ssh://ada@corp@[2001:db8::1]:2222/srv/m n.git',
      user: 'ada@corp',
      host: '2001:db8::1',
      port: 2222,
      path: '/srv/m n.git',
    })
  })

  it('has one name in all of its forms, and that of the same repository over HTTPS', () => {
    const same = [
      'git@git.example.com:ops/manifests',
      'git@GIT.example.com:/ops/manifests.git/',
      'ssh://git@git.example.com/ops/manifests.git',
      'ssh://git@git.example.com:22/ops/manifests',
    ]
    expect(same.map(text => parseRepositoryAddress(text).name)).to.deep.equal(
      same.map(() => 'ssh://git.example.com/ops/manifests'),
    )
    expect(repositoryName(parseRepositoryAddress('git@git.example.com:ops/m.git').name)).to.equal(
      repositoryName(parseRepositoryAddress('https://git.example.com/ops/m').name),
    )
  })

  it('hands the server a path as the form means it', () => {
    const paths = ['git@h:team/m', 'git@h:/srv/m', 'ssh://git@h/srv/m', 'ssh://git@h/~ada/m', 'git@h:~/m']
    expect(paths.map(text => pathOf(text))).to.deep.equal(['team/m', '/srv/m', '/srv/m', '~ada/m', '~/m'])
  })

  const hostile = [
    'git@-oProxyCommand=touch:m',
    'ssh://-oProxyCommand=touch/m',
    'ssh://git@-oProxyCommand=touch/m',
    'ssh://git@%2doProxyCommand=touch/m',
    '-oProxyCommand=touch@h:m',
    'ssh://-oProxyCommand=touch@h/m',
    'git@h:-upload-pack',
    'git@h:--exec=touch',
    'git@h:a\nb',
    'ssh://git@h/a%0ab',
    'ssh://git@h$(touch)/m',
    'ssh://git@h;touch/m',
    'ssh://git@h:0/m',
    'ssh://git@h:99999/m',
    'ssh://git@h/',
    'ssh://git@h/m?x=1',
    'git@h:',
    '@h:m',
  ]
  for (const text of hostile)
    it(`G24 is refused as ${JSON.stringify(text)}`, () => {
      expect(() => parseRepositoryAddress(text))
        .to.throw(Failure)
        .with.property('code', 'repository-invalid')
    })

  it('is refused without a user, and with a password, which is not shown', () => {
    expect(() => parseRepositoryAddress('git.example.com:team/m.git')).to.throw(Failure, 'say who logs in')
    expect(() => parseRepositoryAddress('ssh://git.example.com/team/m.git')).to.throw(
      Failure,
      'say who logs in',
    )
    expect(() => parseRepositoryAddress('ssh://ada:s3cret@git.example.com/m.git')).to.throw(
      Failure,
      'repository "ssh://***@git.example.com/m.git": has a password, which is not used over SSH',
    )
  })

  it('leaves paths of this machine what they are', () => {
    for (const path of ['./a:b', '/srv/a@b:c', 'dir/host.example.com:x', 'C:x'])
      expect(parseRepositoryAddress(path).kind, path).to.equal('local')
  })
})

function pathOf(text: string): string {
  const address = parseRepositoryAddress(text)
  return address.kind === 'ssh' ? address.path : address.kind
}
