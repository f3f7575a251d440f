import { expect } from 'chai'
import { deploymentMeant } from '../../../../lib/answers/subject/deployments.ts'

/** The names of deployments, with that of their application. */
const crossed = [
  { name: 'front', application: 'web' },
  { name: 'web', application: 'shop' },
  { name: 'shop', application: 'blog' },
]

describe('the name of a deployment', () => {
  const rows: readonly (readonly [string | undefined, string | undefined])[] = [
    ['front', 'front'],
    ['web', 'web'],
    ['shop', 'shop'],
    ['blog', 'shop'],
    ['other', undefined],
    [undefined, undefined],
  ]
  for (const [written, meant] of rows)
    it(`goes before that of an application, so that each can be named: ${written} is ${meant}`, () => {
      expect(deploymentMeant(crossed, written)?.name).to.equal(meant)
    })

  it('A33 G14 goes after that of an application where it may mean one, because the deployment is refused then', () => {
    const meant = (...applications: readonly string[]) => deploymentMeant(crossed, 'web', applications)?.name
    expect([meant('web', 'shop'), meant('shop')]).to.deep.equal(['front', 'web'])
    expect(deploymentMeant(crossed.slice(1), 'web', ['web']), 'it has none').to.equal(undefined)
  })
})
