import { expect } from 'chai'
import { containerHealth, worstHealth } from '../../../../lib/state/running/health.ts'
import type { LiveContainer } from '../../../../lib/state/running/live.ts'
import { desired, live } from '../../../support/builders/builders.ts'

const [container] = live(desired({})).containers

describe('the health of a container', () => {
  const cases: readonly (readonly [Partial<LiveContainer>, string])[] = [
    [{ state: 'running', health: 'none' }, 'Healthy'],
    [{ state: 'running', health: 'healthy' }, 'Healthy'],
    [{ state: 'running', health: 'starting' }, 'Progressing'],
    [{ state: 'running', health: 'unhealthy' }, 'Degraded'],
    [{ state: 'created' }, 'Progressing'],
    [{ state: 'restarting' }, 'Degraded'],
    [{ state: 'paused' }, 'Suspended'],
    [{ state: 'exited', exitCode: 0 }, 'Missing'],
    [{ state: 'exited', exitCode: 1 }, 'Degraded'],
    [{ state: 'removing' }, 'Missing'],
    [{ state: 'dead' }, 'Degraded'],
  ]
  for (const [parts, expected] of cases) {
    it(`is ${expected} when it is ${Object.values(parts).join(', ')}`, () => {
      if (container === undefined) throw new Error('one container is wanted')
      expect(containerHealth({ ...container, ...parts })).to.equal(expected)
    })
  }
})

describe('the health of a whole', () => {
  it('is that of its worst part', () => {
    expect(worstHealth(['Healthy', 'Degraded', 'Progressing'])).to.equal('Degraded')
    expect(worstHealth(['Degraded', 'Unknown'])).to.equal('Unknown')
    expect(worstHealth([])).to.equal('Healthy')
  })
})
