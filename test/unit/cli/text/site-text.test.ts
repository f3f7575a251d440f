import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { siteLines } from '../../../../lib/cli/text/site-text.ts'
import { catalogue } from '../../../../lib/errors/catalogue.ts'
import {
  type SiteDocument,
  unusableSites,
  withWrong,
} from '../../../../lib/reconcile/status/site/site-document.ts'
import { windowsDocument } from '../../../../lib/reconcile/status/site/site-windows.ts'

const east: SiteDocument = {
  ...{ name: 'east', state: 'reachable', engine: '29.0.1', endpoint: 'tcp://east:2376' },
  ...{
    environments: ['prod', 'devel'],
    labels: { 'system/name': 'east', 'system/type': 'edge', city: 'Oslo' },
  },
  file: '/etc/tallyman/sites/east.yaml',
}
const west: SiteDocument = {
  ...{ name: 'west', state: 'unreachable', since: '2026-01-01T00:00:00Z', next: '2026-01-01T00:05:00Z' },
  ...{ endpoint: 'unix:///run/west.sock', labels: { 'system/name': 'west', 'system/type': 'edge' } },
  error: { code: 'engine-unreachable', message: 'west: gone', hint: 'Start it.' },
}

function linesOf(sites: readonly SiteDocument[]): readonly string[] {
  return printed(siteLines(sites), false)
    .split('\n')
    .filter(line => line !== '')
}

describe('the sites in words', () => {
  it('G13 are a table, and below it why one does not answer', () => {
    expect(linesOf([east, west])).to.deep.equal([
      '  site  state                                                                  engine  environments  endpoint               labels                      from',
      '  east  reachable                                                              29.0.1  prod, devel   tcp://east:2376        system/type=edge city=Oslo  /etc/tallyman/sites/east.yaml',
      '  west  unreachable since 2026-01-01T00:00:00Z, next try 2026-01-01T00:05:00Z          all           unix:///run/west.sock  system/type=edge',
      'west: gone (engine-unreachable)',
      '  hint: Start it.',
    ])
  })

  it('A60 A61 G13 tell the upgrade windows with their time zones, if any site has some', () => {
    const windows = windowsDocument({
      provider: [
        { days: ['Monday', 'Friday'], startMinutes: 125, zone: 'Europe/Oslo', durationMs: 5_400_000 },
      ],
      owner: [{ days: [], startMinutes: 0, zone: 'UTC', durationMs: 21_600_000 }],
    })
    expect(windows).to.deep.equal({
      provider: [
        { daysOfWeek: ['Monday', 'Friday'], startTime: '02:05', timezone: 'Europe/Oslo', duration: '1h30m' },
      ],
      owner: [{ startTime: '00:00', timezone: 'UTC', duration: '6h' }],
    })
    const both = 'provider: Monday, Friday 02:05 Europe/Oslo for 1h30m | owner: every day 00:00 UTC for 6h'
    const [head = '', first, second] = linesOf([{ ...east, windows }, west])
    expect(head).to.include('upgrade windows')
    expect(first).to.include(both)
    expect(second).not.to.include('UTC')
    const alone = linesOf([{ ...east, windows: { ...windows, provider: [] } }])[1]
    expect(alone).to.include('every day 00:00 UTC for 6h').and.not.include('owner')
  })

  it('G13 name an engine that manages a Swarm of which nobody said what it is', () => {
    expect(linesOf([{ ...east, managesSwarm: true }]).slice(2)).to.deep.equal([
      'east: the engine manages a Swarm, and is taken for one host: nothing is done on the Swarm (swarm-unused)',
      `  hint: ${catalogue['swarm-unused'].hint}`,
    ])
  })

  it('G13 say of a Swarm which manager is asked once another is none any more', () => {
    const first = { endpoint: 'tcp://east:2376', isAsked: true }
    const second = { endpoint: 'tcp://east-2:2376', isAsked: false }
    expect(linesOf([{ ...east, managers: [first, second] }]).slice(2)).to.deep.equal([])
    const why = 'it is a worker of a Swarm, and only a manager can be asked'
    const managers = [
      { ...first, isAsked: false, why },
      { ...second, isAsked: true },
    ]
    expect(linesOf([{ ...east, managers }]).slice(2)).to.deep.equal([
      'east: tcp://east:2376 is not asked: it is a worker of a Swarm, and only a manager can be asked',
      'east: tcp://east-2:2376 is asked',
    ])
  })

  it('G13 name each file that is wrong, also two of one name, and keep what is known of its site', () => {
    const problem = (file: string) => ({
      code: 'config-invalid' as const,
      message: 'is empty',
      position: { file },
    })
    const wrongSites = [
      { name: 'east', problems: [problem('sites/east.yaml')] },
      { name: 'new', problems: [problem('sites/new.yaml')] },
      { name: 'new', problems: [problem('sites/new.yml')] },
      { problems: [problem('sites')] },
    ]
    const hint = 'Correct the key named in the message.'
    expect([...unusableSites({ wrongSites })]).to.deep.equal([
      ['east', { message: 'sites/east.yaml: is empty (config-invalid)', hint }],
      [
        'new',
        {
          message: 'sites/new.yaml: is empty (config-invalid); sites/new.yml: is empty (config-invalid)',
          hint,
        },
      ],
    ])
    const lines = linesOf(withWrong([east], { wrongSites }))
    expect(lines.map(line => line.replace(/ {2,}/g, '  ').trim())).to.deep.equal([
      'site  state  engine  environments  endpoint  labels  from',
      '(the configuration)  wrong  all',
      'east  reachable; its file is wrong, and not used  29.0.1  prod, devel  tcp://east:2376  system/type=edge city=Oslo  /etc/tallyman/sites/east.yaml',
      'new  wrong  all',
      'sites: is empty (config-invalid)',
      'sites/east.yaml: is empty (config-invalid)',
      'sites/new.yaml: is empty (config-invalid)',
      'sites/new.yml: is empty (config-invalid)',
    ])
  })

  it('G13 say it if there are none', () => {
    expect(linesOf([])).to.deep.equal(['No site is configured.'])
  })
})
