import { expect } from 'chai'
import { changesForApplication } from '../../../lib/revert-commit/of-application.ts'
import { changesForEnvironment } from '../../../lib/revert-commit/of-environment.ts'
import type { Changes, Side } from '../../../lib/revert-commit/side.ts'
import { changed, sideOf, type Texts } from '../../support/git/revert-side.ts'

const directory = 'environments/prod'
const named = { [`${directory}/manifest.json`]: '{"services": [{"name": "shop"}]}' }

/** Every way in which the own and the shared file of one name may be there, in two versions, and the own one in two forms. */
function layouts(kind: string): readonly Texts[] {
  const own = ['', 'shop.yaml 1', 'shop.yaml 2', 'shop.json 1']
  const shared = ['', 'shop.yaml 1', 'shop.yaml 2']
  return own.flatMap(one =>
    shared.map(other => ({ ...named, ...fileOf(`${directory}/${kind}`, one), ...fileOf(kind, other) })),
  )
}

function fileOf(directory: string, written: string): Texts {
  const [name = '', text = ''] = written.split(' ')
  return name === '' ? {} : { [`${directory}/${name}`]: `version: "${text}"\n` }
}

/** What the environment reads under the name: its own files replace shared ones. */
function readIn(texts: Texts, kind: string): Texts {
  const below = (place: string) => Object.entries(texts).filter(([path]) => path.startsWith(`${place}/`))
  const own = below(`${directory}/${kind}`)
  return Object.fromEntries(own.length > 0 ? own : below(kind))
}

type Way = (now: Side, then: Side) => Promise<Changes>

const ways: readonly (readonly [string, string, Way])[] = [
  [
    'the specification of an application',
    'applications',
    (now, then) => changesForApplication({ directory, application: 'shop' }, now, then),
  ],
  [
    'a specification of an environment',
    'applications',
    (now, then) => changesForEnvironment(directory, now, then),
  ],
  [
    'a deployment of an environment',
    'deployments',
    (now, then) => changesForEnvironment(directory, now, then),
  ],
]

describe('the documents that a commit brings back', () => {
  for (const [what, kind, changesOf] of ways)
    it(`A12 E23 of ${what} are those that decide what is read, and no others, wherever they stood`, async () => {
      for (const now of layouts(kind))
        for (const then of layouts(kind)) {
          const told = JSON.stringify({ now, then })
          const changes = await changesOf(await sideOf(now), await sideOf(then))
          expect(readIn(changed(now, changes), kind), told).to.deep.equal(readIn(then, kind))
          for (const path of changes.keys()) {
            const without = new Map([...changes].filter(([one]) => one !== path))
            const left = readIn(changed(now, without), kind)
            expect(left, `without ${path}: ${told}`).not.to.deep.equal(readIn(then, kind))
          }
        }
    })
})
