import { expect } from 'chai'
import { label } from '../../../lib/state/labels.ts'
import { awaitService } from '../../../lib/swarm/steps/await-service.ts'
import { identity } from '../../support/builders.ts'
import { failureOf } from '../../support/failure-of.ts'
import { engineAnswering } from '../docker/answering.ts'

describe('the wait for a service of a Swarm that was put back', () => {
  const owner = identity('prod')
  const labels = { [label.environment]: owner.environment, [label.source]: owner.source }
  const TaskTemplate = { ContainerSpec: { Image: 'web:1' } }
  const service = {
    ...{ ID: 's', Version: { Index: 7 } },
    Spec: { Name: 'prod_web', Labels: labels, TaskTemplate, Mode: { Replicated: { Replicas: 1 } } },
  }
  const task = (State: string) => ({
    ...{ ID: 't', ServiceID: 's', Spec: TaskTemplate, DesiredState: 'running' },
    Status: { Timestamp: '2026-01-01T00:00:00Z', State },
  })
  const step = {
    do: 'await-service',
    service: 'prod_web',
    parallelism: 0,
    healthyMs: 0,
    timeoutMs: 1,
  } as const
  const wait = (there: Readonly<Record<string, unknown>>, fingerprint?: string) =>
    awaitService(
      engineAnswering(there),
      fingerprint === undefined ? step : { ...step, fingerprint },
      { ...owner, commit: 'c0ffee' },
      new AbortController().signal,
      () => undefined,
    )

  it('G5 ends once that runs, whatever it is', async () => {
    await wait({ '/services/prod_web': service, '/tasks': [task('running')] })
    const late = await failureOf(wait({ '/services/prod_web': service, '/tasks': [task('starting')] }))
    expect(late.code).to.equal('health-timeout')
  })

  it('G5 D18 is none where nothing was before, and fails where something was to be there', async () => {
    await wait({})
    expect((await failureOf(wait({}, 'v1:f'))).code).to.equal('service-changed')
  })
})
