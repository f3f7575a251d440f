import { expect } from 'chai'
import { answerNextBatch } from '../../../lib/answers/next-batch.ts'
import type { Subject } from '../../../lib/answers/subject/subject.ts'
import { batchesIn } from '../../../lib/fleet/spread/facts/run-facts.ts'
import { nextBatchId } from '../../../lib/fleet/spread/next-batch-id.ts'
import { runFacts } from '../../../lib/journal/fleet/runs.ts'
import type { Deployment } from '../../../lib/state/fleet/deployment.ts'
import { ann, memoryAudience, memorySubject, saidMs } from '../../support/memory/memory-audience.ts'

const endpoint = 'unix:///run/store.sock'

describe('the id under which a person is asked who follows a batch', () => {
  it('A25 A34 X20 is taken where the only site of the batch, which does not answer, has another name that is not on record yet', () => {
    const subject: Subject = {
      ...memorySubject(),
      sites: () => ['store-1'],
      ofRuns: () => ({ isReady: () => false, sites: [{ name: 'store-1', endpoint, labels: {} }] }),
    }
    const audience = memoryAudience(subject)
    const { journal } = audience
    const deployment: Deployment = {
      ...{ name: 'everywhere', application: 'web', revision: 'r', healthyMs: 60_000, sitesInParallel: 1 },
      placement: { kind: 'all-sites' },
    }
    const [site, atMs] = ['store', saidMs - 60_000]
    journal.setPlacement('prod', { deployment, sites: [site], canaries: [], known: { [site]: endpoint } })
    const run = journal.beginRun({
      ...{ environment: 'prod', deployment: 'everywhere', application: 'web' },
      ...{ version: '2.0', content: 'two', seed: 1, atMs },
    })
    journal.addFact(run.id, { kind: 'batch', atMs, sites: [site] })
    journal.addFact(run.id, { kind: 'reached', atMs, site })
    journal.addFact(run.id, { kind: 'silent', atMs, site })
    const batches = batchesIn(runFacts(journal, run))
    const id = nextBatchId(run, { wait: { for: 'return', sites: [site], sinceMs: atMs }, batches })
    expect(answerNextBatch(audience, ann, { id }, 'approve')).to.deep.include({
      nextBatch: { deployment: 'everywhere', version: '2.0' },
    })
  })

  it('A31 X20 is not taken for another question: who let others follow without the canary said nothing of a healthy one', () => {
    const subject: Subject = { ...memorySubject(), ofRuns: () => ({ isReady: () => true }) }
    const audience = memoryAudience(subject)
    const { journal } = audience
    const deployment: Deployment = {
      ...{ name: 'everywhere', application: 'web', revision: 'r', healthyMs: 0 },
      placement: { kind: 'all-sites' },
      canary: { expression: { kind: 'present', label: 'try' }, text: 'try', next: { kind: 'word' } },
    }
    const atMs = saidMs - 60_000
    journal.setPlacement('prod', { deployment, sites: ['lab', 'store'], canaries: ['lab'] })
    const run = journal.beginRun({
      ...{ environment: 'prod', deployment: 'everywhere', application: 'web' },
      ...{ version: '2.0', content: 'two', seed: 1, atMs },
    })
    journal.addFact(run.id, { kind: 'batch', atMs, sites: ['lab'], isCanary: true })
    const batches = batchesIn(runFacts(journal, run))
    const [without, healthy] = [
      nextBatchId(run, { wait: { for: 'canaries', sites: ['lab'] }, batches }),
      nextBatchId(run, { wait: { for: 'word', sinceMs: atMs }, batches }),
    ]
    journal.addFact(run.id, { kind: 'reached', atMs, site: 'lab' })
    expect(() => answerNextBatch(audience, ann, { id: without }, 'approve')).to.throw(
      `nobody is asked under ${without} any more: everywhere waits for ${healthy}`,
    )
    expect(answerNextBatch(audience, ann, { id: healthy }, 'approve')?.nextBatch.version).to.equal('2.0')
  })
})
