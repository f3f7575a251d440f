import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { splitPath } from '../../../../lib/git/snapshot/path.ts'

describe('a path in a repository', () => {
  it('is taken apart at its slashes; the root has no parts', () => {
    expect(splitPath('environments/prod/manifest.json')).to.deep.equal([
      'environments',
      'prod',
      'manifest.json',
    ])
    expect(splitPath('')).to.deep.equal([])
  })

  const forbidden: readonly (readonly [string, string])[] = [
    ['../secret', '../secret: the path contains ".."'],
    ['a/../../b', 'a/../../b: the path contains ".."'],
    ['/etc/passwd', '/etc/passwd: the path is absolute'],
    ['a\\b', 'a\\b: the path contains a backslash'],
    ['web\\xff.yaml', 'web\\xff.yaml: the path contains a name that is not UTF-8, or a backslash'],
    ['a\0b', 'a\0b: the path contains NUL'],
    ['a//b', 'a//b: the path has an empty part or "."'],
    ['./a', './a: the path has an empty part or "."'],
  ]
  for (const [path, message] of forbidden) {
    it(`G24 is refused as ${JSON.stringify(path)}`, () => {
      expect(() => splitPath(path))
        .to.throw(Failure, message)
        .with.property('code', 'path-forbidden')
    })
  }
})
