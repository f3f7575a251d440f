import { expect } from 'chai'
import { stringify } from 'yaml'
import { checkConfig, loadConfig } from '../../../../lib/config.ts'
import { endpointOf, type SiteEndpoint } from '../../../../lib/endpoint.ts'
import { InvalidInput } from '../../../../lib/errors.ts'
import { fileIn } from '../../../support/files/file-in.ts'

/** The labels of each site, as plain objects. */
function labelsOf(file: object): Readonly<Record<string, unknown>> {
  using config = fileIn('tallyman.yaml', stringify({ repository: { url: '/srv' }, ...file }))
  const { sites } = loadConfig({ config: config.path }, {})
  return Object.fromEntries(sites.map(({ name, labels }) => [name, { ...labels }]))
}

function faults(file: object | string): readonly string[] {
  const text = typeof file === 'string' ? file : stringify(file)
  return checkConfig('tallyman.yaml', text).problems.map(({ message }) => message)
}

describe('the labels of a site', () => {
  it('A24 are its name and its kind where nobody wrote any', () => {
    expect(labelsOf({ sites: [{ name: 'store-1' }] })).to.deep.equal({
      'store-1': { 'system/name': 'store-1', 'system/type': 'edge' },
    })
    expect(labelsOf({})).to.deep.equal({ local: { 'system/name': 'local', 'system/type': 'edge' } })
  })

  it('A24 say of which kind it is, if the operator does', () => {
    expect(labelsOf({ sites: [{ name: 'a', labels: { 'system/type': 'control-tower' } }] })).to.deep.equal({
      a: { 'system/name': 'a', 'system/type': 'control-tower' },
    })
  })

  it('A24 have no other name in the namespace of the built-in ones', () => {
    const labels = { 'system/name': 'b', 'system/typ': 'edge', systematic: 'yes' }
    expect(faults({ sites: [{ name: 'a', labels }], siteProfiles: { p: { labels } } })).to.deep.equal([
      '/siteProfiles/p/labels/"system/name": "system/name" is the name of the site, which nobody sets; only "system/type" may be set',
      '/siteProfiles/p/labels/"system/typ": "system/typ" begins with system/, which nobody sets; only "system/type" may be set',
      '/sites/0/labels/"system/name": "system/name" is the name of the site, which nobody sets; only "system/type" may be set',
      '/sites/0/labels/"system/typ": "system/typ" begins with system/, which nobody sets; only "system/type" may be set',
    ])
  })

  it('are those of its profiles, and its own before them', () => {
    const siteProfiles = {
      cinema: { labels: { screens: 'yes', city: 'unknown' } },
      north: { labels: { region: 'north', 'system/type': 'core' } },
    }
    const sites = [
      { name: 'a', profiles: ['cinema', 'north'], labels: { city: 'Oslo' } },
      { name: 'b', endpoint: 'tcp://b:2375' },
    ]
    expect(labelsOf({ sites, siteProfiles })).to.deep.equal({
      a: { 'system/name': 'a', 'system/type': 'core', screens: 'yes', city: 'Oslo', region: 'north' },
      b: { 'system/name': 'b', 'system/type': 'edge' },
    })
  })

  it('are doubtful where two profiles contradict each other, unless the site itself says which', () => {
    const siteProfiles = {
      one: { labels: { size: 's', same: 'x' } },
      two: { labels: { size: 'm', same: 'x' } },
    }
    const profiles = ['one', 'two']
    expect(faults({ sites: [{ name: 'a', profiles }], siteProfiles })).to.deep.equal([
      '/sites/0/profiles/1: "one" and "two" have different values of the label "size"; the site itself can say which',
    ])
    expect(faults({ sites: [{ name: 'a', profiles, labels: { size: 'l' } }], siteProfiles })).to.deep.equal(
      [],
    )
  })

  it('A60 A61 has windows of its own and of its profiles, and site-local is its own time zone', () => {
    const nightly = { startTime: '02:00', duration: '1h' }
    const weekly = { daysOfWeek: 'Sunday', startTime: '00:00', timezone: 'UTC', duration: '4h' }
    const siteProfiles = { night: { windows: [nightly] }, owner: { windows: { owner: [weekly] } } }
    const entry = { name: 'a', profiles: ['night', 'owner'], timezone: 'Europe/Oslo', windows: [weekly] }
    using config = fileIn('t.yaml', stringify({ repository: { url: '/srv' }, sites: [entry], siteProfiles }))
    const weeklyRead = { days: ['Sunday'], startMinutes: 0, zone: 'UTC', durationMs: 4 * 3_600_000 }
    expect(loadConfig({ config: config.path }, {}).sites[0]?.windows).to.deep.equal({
      provider: [{ days: [], startMinutes: 120, zone: 'Europe/Oslo', durationMs: 3_600_000 }, weeklyRead],
      owner: [weeklyRead],
    })
  })

  it('G13 says which profile has a window for which it lacks a time zone, and what is wrong in a profile once', () => {
    const siteProfiles = { night: { windows: [{ startTime: '02:00', duration: '1h' }] } }
    expect(faults({ sites: [{ name: 'a', profiles: ['night'] }], siteProfiles })).to.deep.equal([
      '/sites/0/profiles/0: a window of "night": is that of the site, which needs a "timezone" then; name one here or there',
    ])
    const late = { night: { windows: [{ startTime: '25:00', duration: '1h' }] } }
    const sites = [{ name: 'a', profiles: ['night'], timezone: 'UTC' }]
    expect(faults({ sites, siteProfiles: late })).to.deep.equal([
      '/siteProfiles/night/windows/0/startTime: "25:00" is no time of day; write it as "02:00", from 00:00 to 23:59',
    ])
  })

  it('G13 come from profiles that exist', () => {
    const sites = [{ name: 'a', profiles: ['cinemas', 'constructor'] }]
    expect(faults({ sites, siteProfiles: { cinema: {} } })).to.deep.equal([
      '/sites/0/profiles/0: there is no profile "cinemas" under siteProfiles; did you mean "cinema"?',
      '/sites/0/profiles/1: there is no profile "constructor" under siteProfiles',
    ])
  })

  it('G24 are names that nothing else means, each with a text of one line', () => {
    const form =
      'must be letters, digits, "_", ".", "-" and "/", at most 128 of them, with a letter or digit at both ends'
    const long = 'x'.repeat(129)
    const text = `sites: [{name: a, labels: {__proto__: x, "a b": x, ${long}: x, on: true, lines: "a\\nb", empty: ""}}]`
    expect(faults(text)).to.deep.equal([
      `/sites/0/labels/__proto__ ${form}`,
      `/sites/0/labels/a b ${form}`,
      `/sites/0/labels/${long} ${form}`,
      '/sites/0/labels/on must be a text, not true; put it in quotes: "true"',
      '/sites/0/labels/lines must be a text of at most 256 characters without control characters, not "a\\nb"',
    ])
    expect(
      labelsOf({ sites: [{ name: 'a', labels: { constructor: 'x', toString: 'y' } }] })['a'],
    ).to.deep.equal({
      'system/name': 'a',
      'system/type': 'edge',
      constructor: 'x',
      toString: 'y',
    })
  })

  it('mean nothing that their object would inherit', () => {
    using config = fileIn('tallyman.yaml', stringify({ repository: { url: '/srv' } }))
    const [site] = loadConfig({ config: config.path }, {}).sites
    expect(site?.labels['constructor']).to.equal(undefined)
  })
})

describe('the settings of a site for its endpoints', () => {
  const tls = { ca: '/ca', cert: '/cert', key: '/key' }
  const ssh = { keyFile: '/k', knownHostsFile: '/h' }
  const [here, far, away] = ['unix:///run/docker.sock', 'tcp://m1:2376', 'ssh://deploy@m2'] as const
  const noTls = (over: string) =>
    `tls: is not used over ${over}; take it out, or name an endpoint that begins with tcp://`
  const noSsh = 'ssh: is only for an endpoint that begins with ssh://user@host'
  const cases: readonly (readonly [
    endpoint: string | undefined,
    manager: string | undefined,
    host: string | undefined,
    wrong: readonly string[],
  ])[] = [
    [here, undefined, undefined, [noTls('a socket'), noSsh]],
    [here, here, undefined, [noTls('a socket'), noSsh]],
    [here, far, undefined, [noSsh]],
    [here, away, undefined, [noTls('SSH')]],
    [far, undefined, undefined, [noSsh]],
    [far, here, undefined, [noSsh]],
    [far, far, undefined, [noSsh]],
    [far, away, undefined, []],
    [away, undefined, undefined, [noTls('SSH')]],
    [away, here, undefined, [noTls('SSH')]],
    [away, far, undefined, []],
    [undefined, undefined, undefined, [noTls('a socket'), noSsh]],
    [undefined, here, undefined, [noTls('a socket'), noSsh]],
    [undefined, far, undefined, [noSsh]],
    [undefined, away, undefined, [noTls('SSH')]],
    [undefined, undefined, far, [noSsh]],
    [undefined, here, far, [noSsh]],
    [undefined, undefined, away, [noTls('SSH')]],
    [undefined, far, away, []],
    [undefined, undefined, 'garbage', []],
  ]
  const siteOf = (endpoint: string | undefined, manager: string | undefined) => ({
    ...{ name: 'a', kind: 'swarm' },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(manager === undefined ? {} : { managers: [manager] }),
    ...{ tls, ssh },
  })
  const faultsIn = (site: object, env: NodeJS.ProcessEnv): readonly string[] => {
    using config = fileIn('t.yaml', stringify({ repository: { url: '/srv' }, sites: [site] }))
    try {
      loadConfig({ config: config.path }, env)
      return []
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      return error.problems.map(
        ({ message, position }) => `${position?.line} ${message.replace('/sites/0/', '')}`,
      )
    }
  }
  for (const [endpoint, manager, host, wrong] of cases) {
    const env = host === undefined ? {} : { DOCKER_HOST: host }
    const shown = [endpoint ?? `DOCKER_HOST=${host ?? ''}`, manager].filter(one => one !== undefined)
    it(`G16 G24 are refused where none of ${shown.join(', ')} can use them, and where they are written`, () => {
      const found = faultsIn(siteOf(endpoint, manager), env)
      expect(found.map(one => one.replace(/^\d+ /, ''))).to.deep.equal(wrong)
      for (const one of found) expect(one).to.match(/^\d+ /)
    })

    it(`G16 leave each of ${shown.join(', ')} what it can use, once what none can use is taken out`, () => {
      const site = { ...siteOf(endpoint, manager) } as { name: string; tls?: object; ssh?: object }
      for (const one of wrong) delete site[one.startsWith('tls') ? 'tls' : 'ssh']
      expect(faultsIn(site, env)).to.deep.equal([])
      if (host === 'garbage') return
      for (const one of manager === undefined ? [endpoint] : [endpoint, manager]) {
        const { endpoint: _, ...rest } = { endpoint, ...site } as SiteEndpoint
        const opened = endpointOf({ ...rest, ...(one === undefined ? {} : { endpoint: one }) }, env)
        if (opened.kind === 'tcp') expect(opened.tls).to.deep.equal(tls)
      }
    })
  }

  it('G13 are nothing that is wrong in a file by itself where the variables of a daemon decide', () => {
    expect(faults({ repository: { url: '/srv' }, sites: [{ name: 'a', tls }] })).to.deep.equal([])
  })
})
