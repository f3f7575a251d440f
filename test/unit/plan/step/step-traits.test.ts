import { expect } from 'chai'
import type { Step } from '../../../../lib/plan/step/step.ts'
import { isCutOffBy, stopsServing, traitsOf } from '../../../../lib/plan/step/traits.ts'

const container = 'prod-web.1'
const limits = { healthyMs: 1_000, timeoutMs: 60_000 }
const waitsAndPulls: readonly Step[] = [
  { do: 'pull-image', reference: 'docker.io/library/web:2', digest: 'sha256:2' },
  { do: 'await-healthy', container, ...limits },
  { do: 'drain', container, network: 'gate', members: [container] },
  { do: 'run-to-end', container, onFailure: 'abort', timeoutMs: 60_000 },
  { do: 'await-end', container },
]
const changing: readonly Step[] = [
  { do: 'start-container', container },
  { do: 'stop-container', container },
  { do: 'remove-container', container },
  { do: 'restart-container', container },
  { do: 'put-away', container, keep: 3 },
]

describe('the traits of a step', () => {
  it('G12 let a shutdown cut off a wait or a pull, and nothing that changes what runs', () => {
    expect(waitsAndPulls.filter(step => !isCutOffBy(step, 'shutdown'))).to.deep.equal([])
    expect(changing.filter(step => isCutOffBy(step, 'shutdown'))).to.deep.equal([])
  })

  it('X12 P7 let a deadline cut off only what has a limit itself', () => {
    const run: Step = { do: 'run-to-end', container, onFailure: 'abort' }
    const steps: readonly Step[] = [...waitsAndPulls, ...changing, run]
    const cut = steps.filter(step => isCutOffBy(step, 'deadline'))
    expect(cut.map(step => step.do)).to.deep.equal(['await-healthy', 'run-to-end'])
    expect(isCutOffBy(run, 'deadline')).to.equal(false)
  })

  it('G12 let the failure of another step of the stage end the wait for health alone', () => {
    const cut = [...waitsAndPulls, ...changing].filter(step => isCutOffBy(step, 'sibling'))
    expect(cut.map(step => step.do)).to.deep.equal(['await-healthy'])
  })

  it('G1 know what stops what served: stopping a container', () => {
    const stopping = [...waitsAndPulls, ...changing].filter(step => stopsServing(step))
    expect(stopping.map(step => step.do)).to.deep.equal(['stop-container'])
  })

  it('D17 have a step that changes something begin only for the writer, also where it waits', () => {
    const own = { service: 'prod_web' }
    const more: readonly Step[] = [
      { do: 'remove-service', ...own },
      { do: 'stop-service', ...own, fingerprint: 'v1:f' },
      { do: 'await-service', ...own, parallelism: 1, ...limits },
    ]
    const changes = Object.groupBy([...waitsAndPulls, ...changing, ...more], step => traitsOf(step).changes)
    expect(changes.never?.map(step => step.do)).to.deep.equal(['await-healthy', 'await-end'])
    expect(changes.later?.map(step => step.do)).to.deep.equal(['await-service'])
  })

  it('G24 have a step occupy no engine that waits until tasks of a Swarm have ended, which nothing cuts off', () => {
    const ending: readonly Step[] = [
      { do: 'remove-service', service: 'prod_web' },
      { do: 'stop-service', service: 'prod_web', fingerprint: 'v1:f' },
    ]
    expect(ending.map(step => traitsOf(step).is)).to.deep.equal(['wait', 'wait'])
    for (const what of ['shutdown', 'sibling', 'deadline'] as const)
      expect(ending.filter(step => isCutOffBy(step, what))).to.deep.equal([])
  })
})
