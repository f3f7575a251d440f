import { expect } from 'chai'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import type { LogLine, LogSpan } from '../../../../lib/state/running/logged.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import type { PushedImage } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { type TestSite, testSite } from '../site.ts'

forEachEngine('the output of containers, as it is kept', engine => {
  const it = sideBySide()

  it('C52 G16 hides what is in the files that were written into a container', async () => {
    await using site = await testSite(engine)
    const files = [{ path: '/run/password', content: 'hunter2-hunter2', mode: 0o644 }]
    const id = await ended(site, 'echo "password: $(cat /run/password)"', { files })
    expect(said(await linesOf(site, id))).to.deep.equal(['stdout password: [REDACTED]'])
  })

  it('C52 begins at a time, after a line, or so many lines before the end', async () => {
    await using site = await testSite(engine)
    const id = await ended(site, 'echo 1; sleep 0.01; echo 2; sleep 0.01; echo 3')
    const all = await linesOf(site, id)
    const second = all[1]?.at ?? ''
    const spans: readonly Omit<LogSpan, 'follow'>[] = [
      { since: second },
      { after: second },
      { tail: 1 },
      { tail: 0 },
    ]
    const found = []
    for (const span of spans) found.push(said(await linesOf(site, id, span)).join(' '))
    expect(found).to.deep.equal(['stdout 2 stdout 3', 'stdout 3', 'stdout 3', ''])
  })

  it('C52 says of a container whose log driver keeps nothing that it cannot be read, and why', async () => {
    await using site = await testSite(engine)
    const id = await ended(site, 'echo gone', { logging: { driver: 'none', options: {} } })
    const failure = await failureOf(linesOf(site, id))
    expect(failure.code).to.equal('log-unreadable')
    expect(failure.message).to.match(
      /^local: \S+\.web\.1\.0123abcd: the log driver "none" keeps nothing to read$/,
    )
    const kept = await ended(site, 'echo kept', { suffix: '.kept' })
    expect(said(await linesOf(site, kept))).to.deep.equal(['stdout kept'])
  })

  it('C52 lists the containers of every environment with their names, also those that ended', async () => {
    await using site = await testSite(engine)
    const id = await ended(site, 'true')
    const all = await site.engine.logged(site.signal)
    const { environment, source, directory } = site.provenance
    expect(all.find(one => one.engineName === id)).to.deep.include({
      ...{ environment, source, directory, application: 'shop', service: 'web', instance: 1 },
      ...{ container: 'web', role: 'app', state: 'exited' },
    })
  })
})

describe('the output of containers, as a real engine sends it', () => {
  const it = sideBySide()

  it('C52 has the lines of both streams, each with its stream and its time', async () => {
    await using site = await testSite()
    const id = await ended(site, 'echo one; echo two >&2; printf three')
    const lines = await linesOf(site, id)
    expect(said(lines)).to.have.members(['stdout one', 'stderr two', 'stdout three'])
    for (const { at } of lines) expect(at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
  })

  it('C52 has those of a terminal, without its colors and its own line breaks', async () => {
    await using site = await testSite()
    const id = await ended(site, 'printf "\\033[31mred\\033[0m\\nplain\\n"', { tty: true })
    expect(said(await linesOf(site, id))).to.deep.equal(['stdout red', 'stdout plain'])
  })

  for (const tty of [false, true])
    it(`C52 G16 hides a secret that lies across the pieces of a long line, ${tty ? 'of' : 'without'} a terminal`, async () => {
      await using site = await testSite()
      const script = 'i=0; while [ $i -lt 1637 ]; do printf 0123456789; i=$((i+1)); done; printf "$SECRET\\n"'
      const id = await ended(site, script, { tty, env: { SECRET: 'much-too-secret-to-be-told' } })
      const [line] = await linesOf(site, id)
      expect(line?.text.replace(/(0123456789)+/, '…')).to.equal('…[REDACTED]')
    })

  it('C52 follows a container until it ends', async () => {
    await using site = await testSite()
    const { container } = await site.create(
      await shell(site),
      command('echo begun; while [ ! -e /go ]; do sleep 0.05; done; echo done'),
    )
    await site.run({ do: 'start-container', container })
    const lines: string[] = []
    const reading = (async () => {
      for await (const { text } of site.engine.log(container, { follow: true }, site.signal)) lines.push(text)
    })()
    await waitUntil('the first line', () => lines.length > 0)
    await site.put(container, '/', 'go')
    await reading
    expect(lines).to.deep.equal(['begun', 'done'])
  })

  it('C52 ends at once when nobody wants more, in the middle of a container that writes without end', async () => {
    await using site = await testSite()
    const { container } = await site.create(await shell(site), command('while :; do echo again; done'))
    await site.run({ do: 'start-container', container })
    let count = 0
    for await (const { text } of site.engine.log(container, { follow: true }, site.signal)) {
      count += text === 'again' ? 1 : 0
      if (count === 10_000) break
    }
    expect(count).to.equal(10_000)
    await engineCall(site.socket, 'POST', `/containers/${container}/kill`)
  })
})

const command = (script: string) => ({ entrypoint: ['sh', '-c', script] })

function shell(site: TestSite): Promise<PushedImage> {
  return site.push()
}

/** Runs a script in a container to its end. Returns the name of the container. */
async function ended(
  site: TestSite,
  script: string,
  { suffix = '', ...more }: Partial<Container> & { readonly suffix?: string } = {},
): Promise<string> {
  const { container } = await site.create(await shell(site), { ...command(script), ...more }, { suffix })
  await site.run({ do: 'run-to-end', container, onFailure: 'ignore' })
  return container
}

async function linesOf(
  site: TestSite,
  id: string,
  span: Omit<LogSpan, 'follow'> = {},
): Promise<readonly LogLine[]> {
  const lines: LogLine[] = []
  for await (const line of site.engine.log(id, { ...span, follow: false }, site.signal)) lines.push(line)
  return lines
}

function said(lines: readonly LogLine[]): readonly string[] {
  return lines.map(({ stream, text }) => `${stream} ${text}`)
}
