import { expect } from 'chai'
import { createSink } from '../../../../lib/cli/logs/log-sink.ts'
import { ownedBy } from '../../../../lib/cli/logs/log-sites.ts'
import type { LogSite } from '../../../../lib/cli/logs/log-source.ts'
import { readLogs } from '../../../../lib/cli/logs/read-logs.ts'
import { createOutput } from '../../../../lib/cli/output/output.ts'
import type { ErrorCode } from '../../../../lib/errors/catalogue.ts'
import { Failure } from '../../../../lib/errors.ts'
import type { Logged, LogLine } from '../../../../lib/state/running/logged.ts'
import { sinks } from '../../../support/command/sinks.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { logged } from './logged.ts'

/** A container and what it has written: `3 words`, at the third moment. */
type Written = { readonly one: Logged; readonly lines: readonly string[]; readonly fails?: ErrorCode }

/** A site of which a test says what it has, and whether it answers. */
function memorySite(site: string, has: readonly Written[]) {
  const state = { has, isAway: false }
  const memory: LogSite & { state: typeof state } = {
    ...{ site, state },
    async logged() {
      if (state.isAway) throw new Failure('engine-unreachable', `${site}: away`)
      return state.has.map(({ one }) => one)
    },
    async *log(container, { after = '', tail = Number.POSITIVE_INFINITY }) {
      const { lines = [], fails } = state.has.find(({ one }) => one.id === container) ?? {}
      if (fails !== undefined) throw new Failure(fails, `${site}: ${container}: cannot be read`)
      const all = lines.map(
        (text): LogLine => ({ at: text.slice(0, 1), stream: 'stdout', text: text.slice(2) }),
      )
      yield* (tail === 0 ? [] : all.slice(-tail)).filter(({ at }) => at > after)
    },
  }
  return memory
}

const [web1, web2] = [1, 2].map(instance => logged('prod', 'shop', 'web', { instance })) as [Logged, Logged]
const backup = logged('prod', 'shop', 'web', { container: 'backup' })

type Asked = {
  readonly sites: readonly LogSite[]
  readonly address?: string
  readonly environment?: string
  readonly tail?: number
  readonly json?: true
  readonly isTTY?: boolean
  readonly hasTimes?: boolean
}

function asking(
  { sites, address = 'shop', environment, json, isTTY = false, tail, hasTimes = false }: Asked,
  follow = false,
) {
  const { streams, said } = sinks({ isTTY })
  const output = createOutput(json === true ? { output: 'json' } : {}, streams)
  const end = new AbortController()
  const span = { follow, ...(tail === undefined ? {} : { tail }) }
  const form = { hasSites: sites.length > 1, hasTimes }
  const reading = readLogs(
    { sites, address, environment, span, lookEveryMs: 5 },
    hasNames => createSink(output, { ...form, hasNames }, end.signal),
    end.signal,
  )
  return { reading, said, end }
}

async function printed(asked: Asked): Promise<string> {
  const { reading, said } = asking(asked)
  await reading
  return said().stdout
}

describe('what "tallyman logs" prints', () => {
  it('C52 is in order of time, each line with the container that wrote it', async () => {
    const site = memorySite('local', [
      { one: web1, lines: ['1 a', '4 d'] },
      { one: web2, lines: ['2 b', '3 c'] },
      { one: backup, lines: ['5 e'] },
    ])
    expect(await printed({ sites: [site] })).to.equal(
      'web.1 | a\nweb.2 | b\nweb.2 | c\nweb.1 | d\nweb.1/backup | e\n',
    )
  })

  it('C52 is the lines alone of one container, and its times if they are asked for', async () => {
    const sites = [memorySite('local', [{ one: web1, lines: ['1 a', '2 b'] }])]
    expect(await printed({ sites })).to.equal('a\nb\n')
    expect(await printed({ sites, hasTimes: true, tail: 1 })).to.equal('2 b\n')
  })

  it('C52 G17 names the sites if there are several, and goes on without one that does not answer', async () => {
    const east = memorySite('east', [{ one: web1, lines: ['2 b'] }])
    const west = memorySite('west', [{ one: web1, lines: ['1 a'] }])
    const north = memorySite('north', [])
    north.state.isAway = true
    const { reading, said } = asking({ sites: [east, north, west] })
    expect(await reading).to.equal(false)
    expect(said().stdout).to.equal('west web.1 | a\neast web.1 | b\n')
    expect(said().stderr).to.match(/^Error: north: away \(engine-unreachable\)\n/)
  })

  for (const address of ['shop', 'prod/shop', 'other/shop/web'])
    it(`C52 G17 does not say that there is no ${address} while a site does not answer that may have it`, async () => {
      const [north, south] = [memorySite('north', []), memorySite('south', [])]
      south.state.has = [{ one: logged('prod', 'blog', 'page'), lines: ['1 written'] }]
      north.state.isAway = true
      const { reading, said } = asking({ sites: [north, south], address })
      expect(await reading).to.equal(false)
      expect(said().stderr).to.match(/^Error: north: away \(engine-unreachable\)\n/)
      expect(said().stdout).to.equal('')
    })

  const page = logged('prod', 'blog', 'page')
  const layouts: readonly (readonly [string, readonly Logged[] | undefined, string, string | undefined])[] = [
    ['is the only site', undefined, 'shop', undefined],
    ['is the only site', undefined, 'prod/shop', undefined],
    ['is the only site', undefined, 'prod/shop/web', 'prod'],
    ['is beside a site with nothing', [], 'shop', 'environments/prod'],
    ['is beside a site with nothing', [], 'prod/shop', 'prod'],
    ['is beside another application', [page], 'prod/shop', undefined],
    ['is beside another application', [page], 'shop/web', undefined],
    ['is beside another environment', [logged('stage', 'blog', 'page')], 'prod/shop', undefined],
    ['is beside another environment', [logged('stage', 'blog', 'page')], 'shop', 'environments/prod'],
    ['is beside another environment', [logged('stage', 'blog', 'page')], 'shop', 'prod'],
    ['is beside another environment', [logged('stage', 'blog', 'page')], 'prod/shop/web', 'stage'],
    ['is beside several environments', [page, logged('stage', 'blog', 'page')], 'prod/shop', undefined],
    ['is beside several environments', [page, logged('stage', 'blog', 'page')], 'shop', 'prod'],
  ]
  for (const [layout, others, address, environment] of layouts) {
    const shown = environment === undefined ? address : `${address} with "environments: [${environment}]"`
    const asked = () => {
      const north = memorySite('north', [{ one: web1, lines: ['1 one'] }])
      const south = memorySite(
        'south',
        (others ?? []).map(one => ({ one: { ...one, id: `of ${one.environment}` }, lines: ['1 of others'] })),
      )
      north.state.isAway = true
      const sites = others === undefined ? [north] : [north, south]
      return { north, asked: { sites, address, ...(environment === undefined ? {} : { environment }) } }
    }
    it(`C52 G17 follows ${shown} where its site does not answer yet, and ${layout}`, async () => {
      const { north, asked: request } = asked()
      const { reading, said, end } = asking(request, true)
      await waitUntil('that it is away', () => said().stderr.includes('engine-unreachable'))
      north.state.isAway = false
      await waitUntil('its line', () => said().stdout.includes('one'))
      end.abort()
      expect(await reading).to.equal(true)
      expect(said().stdout).to.not.include('of others')
    })

    it(`C52 G17 is nothing of ${shown} where its site does not answer, and ${layout}`, async () => {
      const { reading, said } = asking(asked().asked)
      expect(await reading).to.equal(false)
      expect(said().stdout).to.equal('')
    })
  }

  it('C52 goes on without a container that cannot be read, and says why', async () => {
    const site = memorySite('local', [
      { one: web1, lines: ['1 a'] },
      { one: web2, lines: [], fails: 'log-unreadable' },
    ])
    const { reading, said } = asking({ sites: [site] })
    expect(await reading).to.equal(false)
    expect(said().stdout).to.equal('web.1 | a\n')
    expect(said().stderr).to.match(
      /^Error: local: prod\.web\.2\.web: cannot be read \(log-unreadable\)\n {2}hint: Look/,
    )
  })

  it('C52 G24 has a color for each container on a terminal, and nothing that controls one', async () => {
    const site = memorySite('local', [
      { one: web1, lines: ['1 \x07a\tb'] },
      { one: web2, lines: ['2 c'] },
    ])
    expect(await printed({ sites: [site], isTTY: true })).to.equal(
      '\x1b[36mweb.1\x1b[39m | \\u0007a    b\n\x1b[33mweb.2\x1b[39m | c\n',
    )
  })

  it('C52 is an object a line as JSON', async () => {
    const site = memorySite('local', [{ one: web1, lines: ['1 a\tb'] }])
    const text = await printed({ sites: [site], json: true })
    expect(text.split('\n')).to.have.length(2)
    expect(JSON.parse(text)).to.deep.equal({
      ...{ time: '1', site: 'local', environment: 'prod', application: 'shop', service: 'web', instance: 1 },
      ...{ container: 'web', role: 'app', engineName: 'prod.web.1.web', stream: 'stdout', text: 'a\tb' },
    })
  })

  it('C52 reads all of very many containers, one hundred after the other', async () => {
    const many = Array.from({ length: 150 }, (_, at): Written => {
      const one = logged('prod', 'shop', 'web', { instance: at + 1 })
      return { one, lines: [`1 ${at}`] }
    })
    const { reading, said } = asking({ sites: [memorySite('local', many)] })
    await reading
    expect(said().stdout.split('\n')).to.have.length(151)
    expect(said().stderr).to.match(
      /^150 containers: their output is in order of time for 100 of them at a time/,
    )
  })

  it('C52 leaves out what belongs to another repository', async () => {
    const site = memorySite('local', [
      { one: web1, lines: ['1 a'] },
      { one: { ...web2, source: 'other/infra' }, lines: ['2 b'] },
    ])
    const own = ownedBy({ source: 'team/infra', address: 'https://git.example.com/team/infra' }, site)
    expect(await printed({ sites: [own] })).to.equal('a\n')
  })
})

describe('what "tallyman logs --follow" prints', () => {
  it('C52 goes on with new lines and new containers, and leaves no line out or in twice', async () => {
    const site = memorySite('local', [{ one: web1, lines: ['1 a'] }])
    const { reading, said, end } = asking({ sites: [site] }, true)
    await waitUntil('the past', () => said().stdout === 'web.1 | a\n')
    site.state.has = [
      { one: { ...web1, state: 'exited' }, lines: ['1 a', '2 b'] },
      { one: web2, lines: ['3 c'] },
    ]
    await waitUntil('what is new', () => said().stdout.split('\n').length === 4)
    site.state.has = [{ one: web2, lines: ['3 c', '4 d'] }]
    await waitUntil('the rest', () => said().stdout.endsWith('d\n'))
    end.abort()
    expect(await reading).to.equal(true)
    expect(said().stdout.split('\n').sort()).to.deep.equal([
      '',
      'web.1 | a',
      'web.1 | b',
      'web.2 | c',
      'web.2 | d',
    ])
  })

  it('C52 G17 tells once that an engine is away, and goes on where it was when it answers again', async () => {
    const site = memorySite('local', [{ one: web1, lines: ['1 a'] }])
    const { reading, said, end } = asking({ sites: [site] }, true)
    await waitUntil('the past', () => said().stdout !== '')
    site.state.isAway = true
    await waitUntil('that it is away', () => said().stderr.includes('engine-unreachable'))
    site.state.has = [{ one: web1, lines: ['1 a', '2 b'] }]
    site.state.isAway = false
    await waitUntil('what was missed', () => said().stdout.endsWith('b\n'))
    end.abort()
    await reading
    expect(said().stdout).to.equal('web.1 | a\nweb.1 | b\n')
    expect(said().stderr.match(/engine-unreachable/g)).to.have.length(1)
    expect(said().stderr).to.include('local: the engine answers again\n')
  })

  it('C52 tells once of a container that cannot be read', async () => {
    const site = memorySite('local', [
      { one: web1, lines: ['1 a'] },
      { one: web2, lines: [], fails: 'log-unreadable' },
    ])
    const { reading, said, end } = asking({ sites: [site] }, true)
    await waitUntil('the past', () => said().stderr.includes('log-unreadable'))
    site.state.has = [...site.state.has, { one: backup, lines: ['2 b'] }]
    await waitUntil('another look', () => said().stdout.endsWith('b\n'))
    end.abort()
    await reading
    expect(said().stderr.match(/log-unreadable/g)).to.have.length(1)
  })
})
