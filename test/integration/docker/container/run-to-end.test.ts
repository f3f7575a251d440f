import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { exits } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { type TestSite, testSite } from '../site.ts'

/** Counts its tries in a file and fails all of them before the given one. */
const failsUntil = (last: number) => [
  'sh',
  '-c',
  `echo >> /tries; n=$(wc -l < /tries); echo "this is $n"; [ $n -ge ${last} ] || exit 3`,
]

forEachEngine('run-to-end', (engine, decisions) => {
  const it = sideBySide()
  const itDecides = decisions(it)

  it('H4 H7 tries again until it ends well, and tells every failed try', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: failsUntil(3) }))
    await site.run({ do: 'run-to-end', container, onFailure: 'retry', timeoutMs: 60_000 })
    expect(site.notes).to.deep.equal([
      'try 1 failed with exit code 3: this is 1',
      'try 2 failed with exit code 3: this is 2',
      'output: this is 3',
    ])
  })

  itDecides('H4 H7 fails at the first failed try where that aborts the rollout', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: failsUntil(3) }))
    expect(await site.fails({ do: 'run-to-end', container, onFailure: 'abort' })).to.include({
      code: 'job-failed',
      retry: 'never',
      message: `local: ${container}: try 1 failed with exit code 3: this is 1`,
    })
    expect(site.notes).to.deep.equal(['try 1 failed with exit code 3: this is 1'])
  })

  itDecides(
    'H4 H7 goes on after the first failed try where that is ignored, and tells it all the same',
    async () => {
      await using site = await testSite(engine)
      const { container } = await site.create(await site.push({ cmd: exits(7) }))
      await site.run({ do: 'run-to-end', container, onFailure: 'ignore' })
      expect(site.notes).to.deep.equal(['try 1 failed with exit code 7'])
    },
  )

  it('H22 runs nothing twice: what ended well stays ended', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: failsUntil(1) }))
    const step = { do: 'run-to-end', container, onFailure: 'abort' } as const
    await site.run(step, step)
    expect(await site.log(container)).to.equal('this is 1\n')
    await site.run({ ...step, again: true })
    expect(await site.log(container)).to.equal('this is 1\nthis is 2\n')
  })

  itDecides(
    'H22 judges what failed while nobody looked by its policy, and starts it again only to retry',
    async () => {
      await using site = await testSite(engine)
      const { container } = await site.create(await site.push({ cmd: failsUntil(2) }))
      await site.run({ do: 'run-to-end', container, onFailure: 'ignore' })
      expect(await site.fails({ do: 'run-to-end', container, onFailure: 'abort' })).to.include({
        code: 'job-failed',
        message: `local: ${container}: an earlier try failed with exit code 3: this is 1`,
      })
      await site.run({ do: 'run-to-end', container, onFailure: 'ignore' })
      expect(await site.log(container)).to.equal('this is 1\n')
      await site.run({ do: 'run-to-end', container, onFailure: 'retry', timeoutMs: 60_000 })
      expect(await site.log(container)).to.equal('this is 1\nthis is 2\n')
      expect(site.notes.slice(1)).to.deep.equal([
        'an earlier try failed with exit code 3: this is 1',
        'an earlier try failed with exit code 3: this is 1',
        'an earlier try failed with exit code 3: this is 1',
        'output: this is 2',
      ])
    },
  )

  it('H22 P7 leaves it running when the wait is aborted, and takes its result later', async () => {
    await using site = await testSite(engine)
    const cmd = ['sh', '-c', 'until [ -e /tmp/go ]; do sleep 0.05; done; echo went']
    const { container } = await site.create(await site.push({ cmd }))
    const step = { do: 'run-to-end', container, onFailure: 'abort' } as const
    const stop = new AbortController()
    const waiting = site.engine.execute(step, site.provenance, stop.signal).catch((error: unknown) => error)
    await waitUntil('it runs', async () => {
      const { State } = await site.ask(`/containers/${container}/json`)
      return Object(State).Running === true
    })
    stop.abort()
    expect(await waiting).to.include({ code: 'interrupted' })
    expect((await site.ask(`/containers/${container}/json`))['State']).to.include({ Running: true })
    await site.put(container, '/tmp', 'go')
    await site.run({ do: 'await-end', container }, step)
    expect(site.notes).to.deep.equal(['output: went'])
  })

  for (const [onFailure, itStops] of [
    ['retry', it],
    ['abort', itDecides],
  ] as const)
    itStops(`H4 H24 stops what takes too long, and fails: ${onFailure}`, async () => {
      await using site = await testSite(engine)
      const { container } = await site.create(await site.push())
      expect(await site.fails({ do: 'run-to-end', container, onFailure, timeoutMs: 300 })).to.include({
        code: 'job-timeout',
        message: `local: ${container}: did not finish within 0.3 s`,
      })
      expect(site.notes).to.deep.equal(['did not end in time, and was stopped'])
      expect((await site.ask(`/containers/${container}/json`))['State']).to.include({ Running: false })
    })

  itDecides('H4 stops what takes too long, and goes on where a failure is ignored', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    await site.run({ do: 'run-to-end', container, onFailure: 'ignore', timeoutMs: 300 })
    expect(site.notes).to.deep.equal(['did not end in time, and was stopped'])
  })

  itDecides('H24 gives up trying again when the time is over', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: exits(3) }))
    expect(
      await site.fails({ do: 'run-to-end', container, onFailure: 'retry', timeoutMs: 1_500 }),
    ).to.include({
      code: 'job-timeout',
    })
    expect(site.notes[0]).to.equal('try 1 failed with exit code 3')
  })

  it('H22 counts the time of one that ran already from its last start', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    await site.run(
      { do: 'start-container', container },
      { do: 'await-healthy', container, healthyMs: 500, timeoutMs: 10_000 },
    )
    const step = { do: 'run-to-end', container, onFailure: 'abort', timeoutMs: 100 } as const
    expect((await site.fails(step)).code).to.equal('job-timeout')
  })

  itDecides('H22 starts nothing again once the time is over', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: failsUntil(2) }))
    await site.run({ do: 'run-to-end', container, onFailure: 'ignore' })
    const step = { do: 'run-to-end', container, onFailure: 'retry', timeoutMs: 1 } as const
    expect(await site.fails(step)).to.include({
      code: 'job-timeout',
      message: `local: ${container}: did not finish within 0.001 s; an earlier try failed with exit code 3: this is 1`,
    })
    expect(await site.log(container)).to.equal('this is 1\n')
  })

  itDecides('H4 X12 counts the time of one that was tried before from when it began first', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: exits(3) }))
    const limited = { do: 'run-to-end', container, onFailure: 'retry', timeoutMs: 60_000 } as const
    await site.run({ ...limited, onFailure: 'ignore' })
    const begunMs = Date.now()
    await waitUntil('it is older', () => Date.now() - begunMs > 1_500)
    await site.run({ ...limited, onFailure: 'ignore', again: true })
    expect(await site.fails({ ...limited, timeoutMs: 1_500, lastedMs: 1_500 })).to.include({
      code: 'job-timeout',
      message: `local: ${container}: did not finish within 1.5 s; an earlier try failed with exit code 3`,
    })
  })

  itDecides('H4 H22 gives one that was never started all of its time', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: ['sh', '-c', 'sleep 0.3'] }))
    const madeMs = Date.now()
    await waitUntil('it is older', () => Date.now() - madeMs > 3_000)
    const limited = { do: 'run-to-end', container, onFailure: 'abort', timeoutMs: 3_000 } as const
    await site.run({ ...limited, lastedMs: 3_600_000 })
  })

  itDecides('H4 counts no time from before the container was made', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: failsUntil(2) }))
    await site.run({ do: 'run-to-end', container, onFailure: 'ignore' })
    await site.run({
      do: 'run-to-end',
      container,
      onFailure: 'retry',
      timeoutMs: 60_000,
      lastedMs: 3_600_000,
    })
  })

  itDecides('A44 counts the time afresh for what is run again', async () => {
    await using site = await testSite(engine)
    const cmd = ['sh', '-c', '[ -e /ran ] && { sleep 0.3; exit 0; }; touch /ran; sleep 3']
    const { container } = await site.create(await site.push({ cmd }))
    await site.run({ do: 'run-to-end', container, onFailure: 'abort', timeoutMs: 20_000 })
    await site.run({ do: 'run-to-end', container, onFailure: 'abort', timeoutMs: 2_500, again: true })
  })

  it('H7 counts what cannot even be started as a failed try', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push(), { command: ['/bin/no-such-program'] })
    const first = await site.fails({ do: 'run-to-end', container, onFailure: 'abort' })
    expect(first.code).to.equal('job-failed')
    expect(first.message).to.match(/: try 1 failed with exit code 127: .*\/bin\/no-such-program/)
  })

  itDecides('H22 starts what could not be started before, for it never ran', async () => {
    await using site = await testSite(engine)
    await using directory = await mkdtempDisposable(join(tmpdir(), 'tallyman-hook-'))
    const mounts = [{ kind: 'host', source: directory.path, path: '/srv' }] as const
    const { container } = await site.create(await site.push(), { command: ['/srv/hook'], mounts })
    await site.fails({ do: 'run-to-end', container, onFailure: 'abort' })
    await writeFile(join(directory.path, 'hook'), '#!/bin/sh\necho ran\n', { mode: 0o755 })
    await site.run({ do: 'run-to-end', container, onFailure: 'abort' })
    expect(await site.log(container)).to.equal('ran\n')
  })

  it('G16 bounds what it tells, and hides the values of the environment', async () => {
    await using site = await testSite(engine)
    const cmd = ['sh', '-c', 'seq 1 500; echo "password: $PASSWORD"']
    const { container } = await site.create(await site.push({ cmd }), { env: { PASSWORD: 'hunter22' } })
    await site.run({ do: 'run-to-end', container, onFailure: 'abort' })
    const [said = ''] = site.notes
    expect(said).to.match(/^output: 452 \| 453 \| .* \| 500 \| password: \[REDACTED\]$/)
  })

  it('H4 goes on without a hook that somebody removes, where a failure is ignored, and tells it', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    const step = { do: 'run-to-end', container, onFailure: 'ignore' } as const
    const waiting = site.run(step)
    await waitUntil('it runs', () => isUp(site, container))
    await engineCall(site.socket, 'DELETE', `/containers/${container}?force=1`)
    await waiting
    await site.run(step)
    expect(site.notes).to.deep.equal(Array(2).fill('somebody removed it before it had ended'))
  })

  for (const onFailure of ['retry', 'abort'] as const)
    it(`H4 says plainly that somebody removed it: ${onFailure}`, async () => {
      await using site = await testSite(engine)
      expect(await site.fails({ do: 'run-to-end', container: 'nobody', onFailure })).to.include({
        code: 'job-failed',
        message: 'local: nobody: somebody removed it before it had ended',
      })
    })

  for (const [role, isStopped, itIsOver] of [
    ['hook', true, it],
    ['deploy', false, itDecides],
  ] as const)
    itIsOver(
      `X12 P7 ${isStopped ? 'stops' : 'never stops'} a ${role} when the time for the whole rollout is over`,
      async () => {
        await using site = await testSite(engine)
        const { container } = await site.create(await site.push(), {}, { role })
        const deadline = new AbortController()
        const waiting = site.engine
          .execute(
            { do: 'run-to-end', container, onFailure: 'ignore', timeoutMs: 60_000 },
            site.provenance,
            deadline.signal,
          )
          .catch((error: unknown) => error)
        await waitUntil('it runs', () => isUp(site, container))
        deadline.abort(
          new Failure('rollout-timeout', 'local: shop/web: the rollout did not finish within 1 s'),
        )
        expect(await waiting).to.include({
          code: 'rollout-timeout',
          message: `local: shop/web: the rollout did not finish within 1 s: ${container} had not ended`,
        })
        expect(await isUp(site, container)).to.equal(!isStopped)
      },
    )
})

async function isUp(site: TestSite, container: string): Promise<boolean> {
  const { State } = await site.ask(`/containers/${container}/json`)
  return Object(State).Running === true
}
