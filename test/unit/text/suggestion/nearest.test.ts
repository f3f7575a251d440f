import { expect } from 'chai'
import { nearest } from '../../../../lib/text/suggestion/nearest.ts'

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

  for (const [word, meant] of [
    ['wbe', 'web'],
    ['pai', 'api'],
    ['bw', undefined],
  ] as const)
    it(`G13 takes letters that changed places for one mistake: ${word}`, () => {
      expect(nearest(word, ['web', 'api'])).to.equal(meant)
    })

  const directories = ['prod', 'environments/prod', 'teams/a/environments/stage', 'test']
  for (const [word, meant] of [
    ['teams/b/environments/stage', 'teams/a/environments/stage'],
    ['somewhere/else/altogether/stage', 'teams/a/environments/stage'],
    ['stgae', 'teams/a/environments/stage'],
    ['far/away/environments/prdo', 'prod'],
    ['environments/prdo', 'environments/prod'],
    ['far/away/environments/nothing', undefined],
  ] as const)
    it(`G13 finds what stands in another directory: ${word}`, () => {
      expect(nearest(word, directories)).to.equal(meant)
    })
})
