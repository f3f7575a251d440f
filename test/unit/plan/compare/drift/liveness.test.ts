import { expect } from 'chai'
import { livenessOf } from '../../../../../lib/plan/compare/drift/liveness.ts'
import type { LiveContainer } from '../../../../../lib/state/running/live.ts'
import { container, desired, live } from '../../../../support/builders/builders.ts'

const [running] = live(desired({ name: 'web' })).containers
if (running === undefined) throw new Error('there is one')
const web: LiveContainer = { ...running, startedAtMs: 1_000_000 }

/** Why a container has to be started again, by these reports of its sandbox. */
function wordsOf(own: LiveContainer, reports: readonly string[], spec = container()): string | undefined {
  return livenessOf(own, spec, reports)?.words
}

describe('what the probes say of a container', () => {
  it('A44 is the first line of its own health check, where its liveness probe is a command', () => {
    const spec = { ...container(), liveness: 'command' as const }
    const ill: LiveContainer = { ...web, health: 'unhealthy', checkOutput: 'no database\nat connect' }
    expect(wordsOf(ill, [], spec)).to.equal('no database')
    const { checkOutput: _, ...silent } = ill
    expect(wordsOf(silent, [], spec)).to.equal('')
    expect(wordsOf({ ...ill, health: 'starting' }, [], spec)).to.equal(undefined)
    expect(wordsOf(ill, []), 'an unhealthy one is only not ready').to.equal(undefined)
  })

  it('A44 is what the sandbox reports of it, and of no other', () => {
    const reports = ['web: readiness probe fails: status 404', 'restart log 1002 liveness: gone']
    expect(wordsOf(web, reports)).to.equal(undefined)
    expect(wordsOf(web, [...reports, 'restart web 1002 liveness: status 404'])).to.equal(
      'liveness: status 404',
    )
  })

  it('A44 is nothing that is older than its last start, and nothing where it does not run', () => {
    const report = ['restart web 1000 liveness: status 404']
    expect(wordsOf(web, report)).to.equal(undefined)
    expect(wordsOf({ ...web, startedAtMs: 999_999 }, report)).to.equal('liveness: status 404')
    expect(wordsOf({ ...web, startedAtMs: 0, state: 'exited' }, report)).to.equal(undefined)
  })
})
