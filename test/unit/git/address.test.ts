import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { parseRepositoryAddress } from '../../../lib/git/address.ts'

describe('the address of a repository', () => {
  it('has one name for equal addresses, without credentials', () => {
    const same = [
      'https://git.example.com/ops/manifests',
      'https://git.example.com/ops/manifests.git',
      'https://GIT.example.com:443/ops/manifests.git/',
      'https://ada:s3cret@git.example.com/ops/manifests.git',
    ]
    expect(same.map(text => parseRepositoryAddress(text).name)).to.deep.equal(
      same.map(() => 'https://git.example.com/ops/manifests'),
    )
  })

  it('keeps the suffix for the server and hands out the login apart', () => {
    expect(parseRepositoryAddress('http://ada:p%40ss@localhost:3000/m.git')).to.deep.equal({
      kind: 'remote',
      name: 'http://localhost:3000/m',
      url: 'http://localhost:3000/m.git',
      login: { username: 'ada', password: 'p@ss' },
    })
  })

  it('is the same for a path and its file:// form', () => {
    const names = ['/srv/m.git', '/srv/m', 'file:///srv/m.git', '/srv/m/.git'].map(
      text => parseRepositoryAddress(text).name,
    )
    expect(new Set(names)).to.deep.equal(new Set(['file:///srv/m']))
  })

  it('is refused when it is of another kind, without showing a password', () => {
    expect(() => parseRepositoryAddress('ftp://ada:s3cret@git.example.com/m.git'))
      .to.throw(
        Failure,
        'repository "ftp://***@git.example.com/m.git": only http://, https://, ssh://, user@host:path, file:// and paths',
      )
      .with.property('code', 'repository-invalid')
  })
})
