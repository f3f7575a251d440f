import { expect } from 'chai'
import { nearest } from '../../../lib/nearest.ts'

describe('the nearest known key', () => {
  const known = ['name', 'version', 'containers', 'dockerTag', 'dockerName']
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['nam', 'name'],
    ['dockertag', 'dockerTag'],
    ['docker_name', 'dockerName'],
    ['container', 'containers'],
    ['verison', 'version'],
    ['replicas', undefined],
    ['x', undefined],
    ['', undefined],
    ['n'.repeat(100_000), undefined],
  ]
  for (const [word, meant] of cases)
    it(`D2 takes ${JSON.stringify(word.slice(0, 20))} for ${meant ?? 'no known one'}`, () => {
      expect(nearest(word, known)).to.equal(meant)
    })
})
