import { expect } from 'chai'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import type { Failure } from '../../../../lib/errors.ts'
import { awaitService } from '../../../../lib/swarm/steps/await-service.ts'
import { identity } from '../../../support/builders/builders.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { inPassingTime } from '../../../support/time/passing-time.ts'
import { clientWith, engineAnswering } from '../../docker/answering.ts'
import { labelsOf, managerOf } from '../manager.ts'

describe('the end of the wait for a service of a Swarm', () => {
  const owner = identity('prod')
  const { signal } = new AbortController()
  const labels = labelsOf(owner)
  const TaskTemplate = { ContainerSpec: { Image: 'web:1' } }
  const service = {
    ...{ ID: 's', Version: { Index: 7 } },
    Spec: { Name: 'prod_web', Labels: labels, TaskTemplate, Mode: { Replicated: { Replicas: 1 } } },
  }
  const task = (State: string, Err = '') => ({
    ...{ ID: 't', ServiceID: 's', Spec: TaskTemplate, DesiredState: 'running' },
    Status: { Timestamp: '2026-01-01T00:00:00Z', State, Err },
  })
  const step = {
    do: 'await-service',
    service: 'prod_web',
    parallelism: 0,
    healthyMs: 0,
    timeoutMs: 1,
  } as const
  const wait = (there: Readonly<Record<string, unknown>>, fingerprint?: string) =>
    inPassingTime(() =>
      awaitService(
        managerOf(engineAnswering(there)),
        fingerprint === undefined ? step : { ...step, fingerprint },
        { ...owner, commit: 'c0ffee' },
        signal,
        () => undefined,
      ),
    )

  it('G5 ends once what was put back runs, whatever that is', async () => {
    await wait({ '/services': [service], '/tasks': [task('running')] })
    const late = await failureOf(wait({ '/services': [service], '/tasks': [task('starting')] }))
    expect(late.code).to.equal('health-timeout')
  })

  it('G1 G13 fails as a pull or a mount does where no node can, for that says nothing about the release', async () => {
    const failing = (...words: readonly [string, string, string]) =>
      failureOf(wait({ '/services': [service], '/tasks': words.map(Err => task('rejected', Err)) }, 'v1:f'))
    const missing = 'No such image: example.com/web@sha256:1'
    const { code, retry, message } = await failing(missing, missing, missing)
    expect({ code, retry }).to.deep.equal({ code: 'pull-failed', retry: 'backoff' })
    expect(message).to.equal(`local: prod_web: its nodes cannot pull: ${missing}`)
    expect((await failing(missing, missing, 'no such program')).code).to.equal('exited-early')
    const paused = { ...service, UpdateStatus: { State: 'paused', Message: 'update paused' } }
    const stopped = (Err: string) =>
      failureOf(wait({ '/services': [paused], '/tasks': [task('rejected', Err)] }, 'v1:f'))
    expect((await stopped(missing)).code, 'the Swarm gave up its update').to.equal('pull-failed')
    expect((await stopped('no such program')).code).to.equal('update-stopped')
    const unmounted = 'invalid mount config for type "bind": bind source path does not exist: /srv/data'
    const refused = await stopped(unmounted)
    expect([refused.code, refused.message]).to.deep.equal([
      ...['mount-refused', `local: prod_web: its nodes cannot mount what it says: ${unmounted}`],
    ])
  })

  it('G13 names the nodes that cannot pull, by their ids too where two have one name', async () => {
    const on = (NodeID: string) => ({ ...task('rejected', 'No such image: web'), NodeID })
    const nodes = ['n1', 'n2', 'n3'].map((ID, index) => ({
      ID,
      Description: { Hostname: index === 0 ? 'one' : 'two' },
    }))
    const told = async (...tasks: readonly ReturnType<typeof on>[]) => {
      const { message } = await failureOf(
        wait({ '/services': [service], '/tasks': tasks, '/nodes': nodes }, 'v1:f'),
      )
      return message
    }
    const why = 'cannot pull: No such image: web'
    expect(await told(on('n1'), on('n1'), on('n1'))).to.equal(`local: prod_web: node one ${why}`)
    expect(await told(on('n1'), on('n2'), on('n3'))).to.equal(
      `local: prod_web: nodes one, two n2, two n3 ${why}`,
    )
  })

  it('G17 D18 says nothing about a release whose Swarm had nobody who decides for a part of the time', async () => {
    const ending = async (...answers: readonly ('silent' | ReturnType<typeof task>)[]) => {
      let looked = 0
      const client = clientWith(async <T>({ path }: EngineRequest) => {
        const answer = answers[Math.min(path === '/tasks' ? looked++ : looked, answers.length - 1)]
        if (answer !== 'silent') return { ok: true, body: (path === '/tasks' ? [answer] : [service]) as T }
        looked += 1
        return { ok: false, status: 503, message: 'The swarm does not have a leader.' }
      })
      const by = { ...owner, commit: 'c0ffee' }
      const waited = inPassingTime(() => awaitService(managerOf(client), step, by, signal, () => {}))
      return waited.then(
        () => 'well',
        (error: Failure) => error.code,
      )
    }
    const [starts, runs] = [task('starting'), task('running')]
    expect(await ending(starts, 'silent'), 'at the end').to.equal('swarm-unavailable')
    expect(await ending('silent', starts), 'before').to.equal('swarm-unavailable')
    expect(await ending(starts, starts), 'never').to.equal('health-timeout')
    expect(await ending('silent', runs), 'and it runs').to.equal('well')
  })

  it('G5 D18 is none where nothing was before, and fails where something was to be there', async () => {
    await wait({ '/services': [] })
    expect((await failureOf(wait({ '/services': [] }, 'v1:f'))).code).to.equal('service-changed')
  })
})
