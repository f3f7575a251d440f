import { expect } from 'chai'
import { givenUp, verdict, wasStartedAnew } from '../../../../../lib/docker/container/inspect/health-gate.ts'
import type { Inspected } from '../../../../../lib/docker/container/inspect/inspect.ts'

const first: Inspected = {
  Id: 'f00d',
  Created: '2026-01-01T00:00:00Z',
  Image: `sha256:${'a'.repeat(64)}`,
  RestartCount: 0,
  State: {
    Status: 'running',
    ExitCode: 0,
    StartedAt: '2026-01-01T00:00:00Z',
    FinishedAt: '0001-01-01T00:00:00Z',
    OOMKilled: false,
    Error: '',
  },
  Config: { Image: 'web:1', Labels: null, Env: null },
  HostConfig: {
    Memory: 0,
    MemoryReservation: 0,
    MemorySwap: 0,
    NanoCpus: 0,
    CpusetCpus: '',
    CpuShares: 0,
    PidsLimit: null,
    RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
  },
  NetworkSettings: { Networks: null },
}

const withState = (state: Partial<Inspected['State']>) => ({ ...first, State: { ...first.State, ...state } })
const withHealth = (status: string, state: Partial<Inspected['State']> = {}) =>
  withState({ ...state, Health: { Status: status, Log: [] } })
const watched = (forMs: number) => ({ first, forMs, healthyMs: 5_000 })

describe('verdict', () => {
  it('G12 lets the health check decide where there is one', () => {
    expect(verdict(withHealth('starting'), watched(60_000))).to.equal('waiting')
    expect(verdict(withHealth('healthy'), watched(0))).to.equal('passed')
    expect(verdict(withHealth('unhealthy'), watched(0))).to.equal('unhealthy')
  })

  it('G12 waits for a time without a restart where there is no health check', () => {
    expect(verdict(first, watched(4_999))).to.equal('waiting')
    expect(verdict(first, watched(5_000))).to.equal('passed')
    expect(verdict(withHealth('none'), watched(5_000))).to.equal('passed')
  })

  it('needs one look only where no time is asked for', () => {
    expect(verdict(first, { first, forMs: 0, healthyMs: 0 })).to.equal('passed')
  })

  it('G12 sees a restart between two looks', () => {
    expect(verdict({ ...first, RestartCount: 1 }, watched(6_000))).to.equal('exited')
    expect(verdict(withState({ Status: 'restarting' }), watched(0))).to.equal('exited')
  })

  it('G12 G5 watches from the beginning what somebody started anew, as an engine does that was started again', () => {
    const anew = withState({ StartedAt: '2026-01-01T00:00:03Z' })
    expect(wasStartedAnew(anew, first)).to.equal(true)
    expect(wasStartedAnew({ ...anew, RestartCount: 1 }, first), 'its own end is one').to.equal(false)
    expect(wasStartedAnew(first, first)).to.equal(false)
  })

  it('G12 forgives two restarts while a health check still starts, and no third', () => {
    const restarted = (RestartCount: number, Status = 'running') =>
      verdict({ ...withHealth('starting', { Status }), RestartCount }, watched(0))
    expect([
      restarted(0, 'restarting'),
      restarted(1),
      restarted(1, 'restarting'),
      restarted(2),
    ]).to.deep.equal(Array(4).fill('waiting'))
    expect([restarted(2, 'restarting'), restarted(3), restarted(3, 'restarting')]).to.deep.equal(
      Array(3).fill('exited'),
    )
  })

  it('G12 counts the restarts of its own gate alone', () => {
    const before = { ...withHealth('starting'), RestartCount: 40 }
    expect(verdict({ ...before, RestartCount: 41 }, { ...watched(0), first: before })).to.equal('waiting')
    expect(verdict({ ...before, RestartCount: 43 }, { ...watched(0), first: before })).to.equal('exited')
  })

  for (const Status of ['created', 'exited', 'dead', 'paused', 'removing']) {
    it(`does not pass a container that is ${Status}`, () => {
      expect(verdict(withHealth('healthy', { Status }), watched(6_000))).to.equal('exited')
    })
  }
})

describe('givenUp', () => {
  const sandbox = (output: string, status = 'starting', role = 'sandbox') => ({
    ...withState({ Health: { Status: status, Log: [{ ExitCode: 1, Output: output }] } }),
    Config: { ...first.Config, Labels: { 'tallyman.role': role } },
  })
  const report = 'web: readiness probe fails: 503\nrestart web 1700000000 startup: refused\n'

  it('A44 says what a probe gave up for', () => {
    expect(givenUp(sandbox(report))).to.equal('web: startup probe fails: refused')
    expect(givenUp(sandbox(report, 'unhealthy'))).to.equal('web: startup probe fails: refused')
  })

  it('A44 says nothing while probes only fail, once all is well, and of what is no sandbox', () => {
    expect(givenUp(sandbox('web: startup probe fails: refused'))).to.equal(undefined)
    expect(givenUp(sandbox(report, 'healthy'))).to.equal(undefined)
    expect(givenUp(sandbox(report, 'starting', 'app'))).to.equal(undefined)
  })
})
