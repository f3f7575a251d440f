import { expect } from 'chai'
import type { Controlled } from '../../../lib/http/controlled.ts'
import { findControlled } from '../../../lib/http/environments.ts'
import { createPassEnds } from '../../../lib/reconcile/loop/pass-ends.ts'
import { createMemory } from '../../../lib/reconcile/memory.ts'
import type { World } from '../../../lib/reconcile/world.ts'
import { identity } from '../../support/builders/builders.ts'
import { refusal } from '../../support/failures/refusal.ts'

/** A loop whose environment stands there, and is called so on engines. */
function running(directory: string, environment: string): Controlled {
  const memory = createMemory()
  memory.names.setPlace({ name: directory.replace(/^.*\//, ''), directory }, [])
  memory.names.setIdentity({ ...identity(environment), directory })
  const world: Partial<World> = {
    environment: directory,
    memory,
  }
  return {
    world: world as World,
    loop: {
      request: () => 1,
      isSettled: () => false,
      isKnown: () => false,
      sites: () => new Map(),
      site: () => undefined,
      looks: () => ({ lookingSinceMs: undefined, nextMs: undefined, unread: undefined }),
      state: () => {
        throw new Error('what all sites do is put together, and only a name was asked for')
      },
      desired: () => undefined,
      ended: Promise.resolve(),
    },
    ends: createPassEnds(),
  }
}

describe('the environment that a command names', () => {
  const first = running('environments/prod', 'prod')
  const second = running('a/environments/prod', 'prod-59a31d6d')
  const stage = running('environments/stage', 'stage-11111111')
  const all = [first, second, stage]

  it('D17 is the one that is called so, or stands in that directory', () => {
    expect(findControlled(all, 'prod')).to.equal(first)
    expect(findControlled(all, 'prod-59a31d6d')).to.equal(second)
    expect(findControlled(all, 'a/environments/prod')).to.equal(second)
    expect(findControlled(all, './a/environments/prod/')).to.equal(second)
  })

  it('D17 is found by its plain name where only one has that', async () => {
    expect(findControlled(all, 'stage')).to.equal(stage)
    expect(
      await refusal(() => findControlled([second, running('b/environments/prod', 'prod-2')], 'prod')),
    ).to.deep.equal(['there is no environment "prod"; did you mean "prod-2"? (wrong-usage)'])
  })
})
