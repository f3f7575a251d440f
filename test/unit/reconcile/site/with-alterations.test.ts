import { expect } from 'chai'
import type { SeenSite } from '../../../../lib/reconcile/site/observe.ts'
import { withAlterations } from '../../../../lib/reconcile/site/with-alterations.ts'
import { desired, live } from '../../../support/builders/builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

/** A Swarm with these services, and what their manager tells of each now. */
function swarm(services: Readonly<Record<string, string>>): SeenSite {
  const containers = Object.entries(services).flatMap(([id, image]) =>
    live(desired({ name: id })).containers.map(one => ({
      ...one,
      id,
      runs: { mark: { image }, replicas: 1, wanted: 1, running: 1, nodes: [] },
    })),
  )
  return { site: 'swarm', atMs: 0, live: { site: 'swarm', containers } }
}

function journalOf() {
  const journal = memoryJournal()
  const seen = (services: Readonly<Record<string, string>>, records: boolean) => {
    const found = withAlterations({ world: { journal } }, 'prod', swarm(services), records)
    return 'live' in found ? found.live.containers.map(({ runs }) => runs?.altered) : []
  }
  return { seen, marks: () => [...journal.serviceMarks('prod', 'swarm').keys()] }
}

describe('what somebody changed in services of a Swarm', () => {
  it('D9 is what is no longer as it was found first, and what is gone is forgotten', () => {
    const { seen, marks } = journalOf()
    expect(seen({ web: 'web:1', db: 'db:1' }, true)).to.deep.equal([undefined, undefined])
    expect(seen({ web: 'web:9' }, true)).to.deep.equal(['image changed to web:9'])
    expect(marks()).to.deep.equal(['web'])
  })

  it('D9 G17 is taken from nobody who writes there by somebody who only looks, and knows less', () => {
    const { seen, marks } = journalOf()
    seen({ web: 'web:1', db: 'db:1' }, true)
    seen({ web: 'web:1' }, false)
    expect(marks()).to.deep.equal(['db', 'web'])
    expect(seen({ web: 'web:1', db: 'db:9' }, true)).to.deep.equal([undefined, 'image changed to db:9'])
  })
})
