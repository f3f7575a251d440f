import { expect } from 'chai'
import { type Client, openClient } from '../../../../lib/docker/api/client.ts'
import { type EventMessage, eachEvent } from '../../../../lib/docker/api/events.ts'
import type { EngineEvent } from '../../../../lib/engine.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { testSite } from '../site.ts'

forEachEngine('events', engine => {
  const it = sideBySide()

  it('D9 tells what happens to containers of the scope, and ends quietly', async () => {
    await using site = await testSite(engine)
    await using other = await testSite(engine)
    const { container } = await site.create(await site.push())
    const elsewhere = await other.create(await other.push())
    const events: EngineEvent[] = []
    const end = new AbortController()
    const watching = site.engine.watch(site.provenance, event => events.push(event), end.signal)
    await waitUntil('the first event', async () => {
      await site.run({ do: 'start-container', container }, { do: 'stop-container', container })
      return events.length > 0
    })
    await site.run({ do: 'start-container', container })
    await other.run({ do: 'start-container', container: elsewhere.container })
    await engineCall(site.socket, 'POST', `/containers/${container}/kill`)
    const { State } = await site.ask(`/containers/${container}/json`)
    const [startedMs, endedMs] = [Object(State).StartedAt, Object(State).FinishedAt].map(Date.parse)
    await site.run({ do: 'remove-container', container })
    await waitUntil('the last event', () => events.some(({ action }) => action === 'destroy'))
    end.abort()
    await watching
    expect(ownActions(events).slice(-3)).to.deep.equal(['start', 'die', 'destroy'])
    expect(new Set(events.map(event => event.container))).to.deep.equal(new Set([container]))
    expect(events.at(-1)).to.include({ site: 'local' })
    const start = events.findLast(({ action }) => action === 'start')
    expect(start?.atMs).to.be.within(startedMs ?? 0, endedMs ?? 0)
  })

  it('D9 tells that a container that runs was detached from its network', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    const { network } = site
    await site.run({ do: 'start-container', container })
    const events: EngineEvent[] = []
    const end = new AbortController()
    const watching = site.engine.watch(site.provenance, event => events.push(event), end.signal)
    await waitUntil('the event', async () => {
      await engineCall(site.socket, 'POST', `/networks/${network}/disconnect`, { Container: container })
      await site.run({ do: 'connect-network', container, network, aliases: ['web'] })
      return events.some(({ action }) => action === 'disconnect')
    })
    end.abort()
    await watching
    const told = events.find(({ action }) => action === 'disconnect')
    expect(told).to.include({ site: 'local', container })
  })

  it('D9 G18 says when it listens: whatever happens from then on is told', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    const events: EngineEvent[] = []
    const end = new AbortController()
    const listening = Promise.withResolvers<void>()
    const { provenance } = site
    const onEvent = (event: EngineEvent) => void events.push(event)
    const watching = site.engine.watch(provenance, onEvent, end.signal, listening.resolve)
    await listening.promise
    await site.run({ do: 'start-container', container })
    await waitUntil('the event', () => events.length > 0)
    end.abort()
    await watching
    expect(ownActions(events)[0]).to.equal('start')
  })

  it('G17 tells nothing of containers that are made only to look into an image', async () => {
    await using site = await testSite(engine)
    const image = await site.push()
    const { container } = await site.create(image)
    const events: EngineEvent[] = []
    const end = new AbortController()
    const listening = Promise.withResolvers<void>()
    const onEvent = (event: EngineEvent) => void events.push(event)
    const watching = site.engine.watch(site.provenance, onEvent, end.signal, listening.resolve)
    await listening.promise
    const labels = {
      'tallyman.environment': site.provenance.environment,
      'tallyman.source': site.provenance.source,
    }
    await engineCall(site.socket, 'POST', '/containers/create?name=looked-into', {
      Image: image.reference,
      Labels: { ...labels, 'tallyman.directory': site.provenance.directory },
    })
    await engineCall(site.socket, 'DELETE', '/containers/looked-into')
    await site.run({ do: 'remove-container', container })
    await waitUntil('the event', () => events.length > 0)
    end.abort()
    await watching
    expect(events.map(one => one.container)).to.deep.equal([container])
  })

  it('D9 G18 tells everything once, however often the stream is opened anew', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    const end = new AbortController()
    const client = openClient({ name: 'local', endpoint: `unix://${site.socket}` }, async () => undefined)
    let opened = 0
    const counting: Client = {
      ...client,
      call(request, signal) {
        opened += 1
        return client.call<never>(request, signal)
      },
    }
    const actions: string[] = []
    const onEvent = ({ Action }: EventMessage) => void actions.push(Action)
    const filters = { container: [container], event: ['start', 'die', 'destroy'] }
    const listening = Promise.withResolvers<void>()
    const hearing = { client: counting, filters, onEvent, onListening: listening.resolve, silentMs: 5 }
    const watching = eachEvent({ ...hearing, signal: end.signal }).catch(() => undefined)
    await listening.promise
    const openedAnew = async () => {
      const before = opened
      await waitUntil('a stream that is opened anew', () => opened > before + 1)
    }
    await site.run({ do: 'start-container', container })
    await openedAnew()
    await engineCall(site.socket, 'POST', `/containers/${container}/kill`)
    await site.run({ do: 'remove-container', container })
    await waitUntil('the last event', () => actions.includes('destroy'))
    await openedAnew()
    end.abort()
    await watching
    client.close()
    expect(actions).to.deep.equal(['start', 'die', 'destroy'])
  })

  it('ends at once when it is told to before it began', async () => {
    await using site = await testSite(engine)
    await site.engine.watch(site.provenance, () => undefined, AbortSignal.abort())
  })
})

/**
 * Leaves out the networks. Whether a container counts as running at the moment when its network is asked about depends
 * on how fast the engine starts it.
 */
function ownActions(events: readonly EngineEvent[]): readonly string[] {
  return events.map(({ action }) => action).filter(action => action !== 'connect' && action !== 'disconnect')
}
