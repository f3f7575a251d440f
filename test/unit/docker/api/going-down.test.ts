import { expect } from 'chai'
import { execute } from '../../../../lib/docker/execute.ts'
import { Failure } from '../../../../lib/errors.ts'
import { identity } from '../../../support/builders/builders.ts'
import { engineAnswering } from '../answering.ts'

describe('an engine that was away a moment ago', () => {
  const provenance = { ...identity('prod'), commit: 'c0ffee' }
  const { signal } = new AbortController()
  const step = { do: 'await-healthy', container: 'web', healthyMs: 1_000, timeoutMs: 1_000 } as const
  const exited = {
    Id: 'c1',
    State: { Status: 'exited', ExitCode: 1, Error: '', StartedAt: '2026-01-01T00:00:00Z' },
    Config: { Labels: null, Env: null },
    RestartCount: 0,
  }

  it('G17 is no verdict on a release, and is not taken for away any longer because of that', async () => {
    let noted = 0
    const client = {
      ...engineAnswering({ '/containers/web/json': exited }),
      wasAway: () => true,
      noteAway: () => {
        noted += 1
      },
    }
    const failure = await execute(client, step, provenance, signal).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(Failure).with.property('code', 'engine-unreachable')
    expect(failure).to.have.property(
      'message',
      'local: the Docker Engine went down, or was away until now, during the work on web (exited with code 1)',
    )
    expect(noted).to.equal(0)
  })
})
