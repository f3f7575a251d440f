import { expect } from 'chai'
import { createMemory } from '../../../../../lib/reconcile/memory.ts'
import { openRecorder } from '../../../../../lib/reconcile/site/record/record.ts'
import { createSiteMemory } from '../../../../../lib/reconcile/site/site-memory.ts'
import type { World } from '../../../../../lib/reconcile/world.ts'
import { ingressName, type Route } from '../../../../../lib/state/application/ingress/route.ts'
import { application, change, desired, service } from '../../../../support/builders/builders.ts'
import { removal } from '../../../../support/builders/changes.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

const route: Route = {
  application: 'web',
  service: 'web',
  host: 'a.example',
  path: '/',
  alias: 'web',
  port: 80,
  tls: 'off',
  holdMs: 0,
}

describe('the record of a pass', () => {
  it('D15 keeps the routes of the ingress, though they were loaded before the process died', () => {
    const journal = memoryJournal()
    const world: Partial<World> = { journal, nowMs: () => 0, steadyMs: () => 0, memory: createMemory() }
    const routing = {
      runBy: 'tallyman' as const,
      routes: [route],
      configuration: { newer: '{}', older: '{}' },
      mark: 'aaaaaaaa',
      networks: [],
    }
    const site = { world: world as World, engine: memoryEngine(), memory: createSiteMemory() }
    const wanted = desired(
      application(ingressName, [{ ...service({ name: ingressName }), traffic: { role: 'proxy', routing } }]),
    )
    const record = openRecorder(
      site,
      { desired: wanted, newest: wanted.revision.commit },
      { trigger: 'start', until: 'apply' },
    )
    record.begin()
    record.applied(
      change({
        application: ingressName,
        service: ingressName,
        target: 'the ingress',
        // What it loads it has loaded: only its gate is left.
        stages: [[{ do: 'await-healthy', container: 'ingress', healthyMs: 0, timeoutMs: 1_000 }]],
      }),
    )
    expect(journal.routes('prod', 'local')).to.deep.equal([route])
    record.applied(change({ application: ingressName, service: ingressName, target: 'absent' }))
    expect(journal.routes('prod', 'local'), 'an ingress that is gone has loaded nothing').to.deep.equal([])
    journal.close()
  })

  it('D3 forgets what was applied of a service that is removed', () => {
    const journal = memoryJournal()
    const world: Partial<World> = { journal, nowMs: () => 0, steadyMs: () => 0, memory: createMemory() }
    const site = { world: world as World, engine: memoryEngine(), memory: createSiteMemory() }
    const wanted = desired({ name: 'web' })
    const record = openRecorder(
      site,
      { desired: wanted, newest: wanted.revision.commit },
      { trigger: 'start', until: 'apply' },
    )
    record.begin()
    record.applied(change())
    expect([...journal.applied('prod', 'local').keys()]).to.deep.equal(['local/web/web'])
    record.applied(removal())
    expect([...journal.applied('prod', 'local').keys()]).to.deep.equal([])
    journal.close()
  })
})
