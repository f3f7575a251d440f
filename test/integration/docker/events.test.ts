import { expect } from 'chai'
import type { EngineEvent } from '../../../lib/engine.ts'
import { engineCall } from '../../support/engine-call.ts'
import { sideBySide } from '../../support/side-by-side.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { testSite } from './site.ts'

describe('events of a real engine', () => {
  const it = sideBySide()

  it('D9 tells what happens to containers of the scope, and ends quietly', async () => {
    await using site = await testSite()
    await using other = await testSite()
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
    expect(
      events
        .map(({ action }) => action)
        .filter(action => action !== 'disconnect')
        .slice(-3),
    ).to.deep.equal(['start', 'die', 'destroy'])
    expect(new Set(events.map(event => event.container))).to.deep.equal(new Set([container]))
    expect(events.at(-1)).to.include({ site: 'local' })
    const start = events.findLast(({ action }) => action === 'start')
    expect(start?.atMs).to.be.within(startedMs ?? 0, endedMs ?? 0)
  })

  it('D9 tells that a container that runs was detached from its network', async () => {
    await using site = await testSite()
    const { container } = await site.create(await site.push())
    const { network } = site
    await site.run({ do: 'start-container', container })
    const events: EngineEvent[] = []
    const end = new AbortController()
    const watching = site.engine.watch(site.provenance, event => events.push(event), end.signal)
    await waitUntil('the event', async () => {
      await engineCall(site.socket, 'POST', `/networks/${network}/disconnect`, { Container: container })
      await site.run({ do: 'connect-network', container, network, aliases: ['web'] })
      return events.length > 0
    })
    end.abort()
    await watching
    expect(events[0]).to.include({ site: 'local', container, action: 'disconnect' })
  })

  it('ends at once when it is told to before it began', async () => {
    await using site = await testSite()
    await site.engine.watch(site.provenance, () => undefined, AbortSignal.abort())
  })
})
