import { expect } from 'chai'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../../../lib/cli/text/status/status-text.ts'
import type { StatusDocument } from '../../../../../lib/reconcile/status/status-document.ts'
import { linesOf, nothing } from '../status-lines.ts'

const running = { since: '2026-01-01T00:00:00Z', changes: ['west/web/web'] }

const waiting = { plan: 'aaaa', since: '2026-01-01T00:00:01Z' }

describe('the status in words', () => {
  it('G13 says what waits beside what is under way on another site', () => {
    expect(linesOf({ running, waiting })).to.deep.equal([
      '  under way since 2026-01-01T00:00:00Z: west/web/web',
      '  waits since 2026-01-01T00:00:01Z: tallyman approve aaaa',
    ])
  })

  it('G13 says which commit is under way if it is not the one of before, and which one waits for it', () => {
    const revisionOf = (digit: string, subject: string) => ({
      ...{ ref: 'main', commit: digit.repeat(40), author: 'ann', subject },
      time: '2026-01-01T00:00:00Z',
    })
    const revision = revisionOf('2', 'careless')
    const reason = 'the removal of west/old/old needs an approval'
    const newer = { commit: '3'.repeat(40), subject: 'revert', reason }
    expect(
      linesOf({ running: { ...running, revision, newer }, revision: revisionOf('1', '') }),
    ).to.deep.equal([
      '  under way since 2026-01-01T00:00:00Z, at 222222222222 "careless": west/web/web',
      `  333333333333 "revert" waits for that: ${reason}`,
    ])
    expect(linesOf({ running: { ...running, revision }, revision })).to.deep.equal([
      '  under way since 2026-01-01T00:00:00Z: west/web/web',
    ])
  })

  it('G13 says of the step that is under way why it waits', () => {
    const step = 'await-service prod_web'
    const note = 'no suitable node (insufficient resources on 1 node)'
    expect(linesOf({ running: { ...running, step, note } })).to.deep.equal([
      `  under way since 2026-01-01T00:00:00Z: west/web/web (${step}: ${note})`,
    ])
  })

  it('G13 says what was discarded beside what is under way on another site', () => {
    const declined = { plan: 'bbbb', who: 'ann', at: '2026-01-01T00:00:02Z' }
    expect(linesOf({ running, declined })).to.deep.equal([
      '  under way since 2026-01-01T00:00:00Z: west/web/web',
      '  plan bbbb was discarded by ann at 2026-01-01T00:00:02Z',
    ])
  })

  it('G13 D4 says of a site whose plan was discarded by whom and when, unless that of all sites was', () => {
    const web = {
      application: 'web',
      sync: 'OutOfSync',
      health: 'Healthy',
      version: '1',
      running: 1,
    } as const
    const declined = { who: 'lou', at: '2026-01-01T00:00:02Z', message: 'not on a Friday' }
    const applications = [
      {
        ...web,
        site: 'a',
        commit: '',
        reason: 'image',
        approval: { of: 'itself' as const, plan: 'bbbb', declined },
      },
      { ...web, site: 'b', commit: '', reason: 'image', approval: { of: 'itself' as const, plan: 'aaaa' } },
    ]
    const said =
      'image; its plan was discarded by lou at 2026-01-01T00:00:02Z (not on a Friday), and another commit'
    expect(linesOf({ waiting, applications }).slice(2)).to.deep.equal([
      `  web          a     OutOfSync  Healthy  1        1/?              ${said.slice(0, 95)}…`,
      '  web          b     OutOfSync  Healthy  1        1/?              image',
      `  web on a: ${said} asks again`,
    ])
    const above = linesOf({ declined: { ...declined, plan: 'cccc' }, applications })
    expect(above.filter(line => line.includes('discarded by lou'))).to.deep.equal([
      '  plan cccc was discarded by lou at 2026-01-01T00:00:02Z: not on a Friday',
    ])
  })

  it('G13 says once why an application is blocked on all of its sites', () => {
    const code = 'deployment-refused' as const
    const message = 'the deployment web has no canary'
    const web = { application: 'web', sync: 'Unknown', health: 'Healthy', version: '1', running: 1 } as const
    const applications = ['a', 'b'].map(site => ({ ...web, site, commit: '', reason: message, code }))
    const errors = [{ code, message, hint: 'Correct it.', resource: 'web', retry: 'never' as const }]
    expect(linesOf({ applications, errors })).to.deep.equal([
      '  the deployment web has no canary (deployment-refused)',
      '    hint: Correct it.',
      '  application  site  sync     health   version  running  commit  reason',
      '  web          a     Unknown  Healthy  1        1/?              blocked: deployment-refused',
      '  web          b     Unknown  Healthy  1        1/?              blocked: deployment-refused',
    ])
  })

  it('G13 G17 says when what failed is tried again by itself', () => {
    const web = {
      application: 'web',
      sync: 'OutOfSync',
      health: 'Missing',
      version: '1',
      running: 0,
    } as const
    const row = { ...web, site: 'a', commit: '', code: 'mount-refused' as const, reason: '/srv is not there' }
    const applications = [{ ...row, next: '2026-01-01T00:00:09Z' }]
    expect(linesOf({ applications }).at(-1)).to.match(
      /\/srv is not there \(tried again by 2026-01-01T00:00:09Z\)$/,
    )
  })

  it('G13 says once on a site what is an error of several of its applications', () => {
    const code = 'site-misnamed' as const
    const message = 'sites/a/variables.yaml: stands beside variables.yml; keep only one of them'
    const errors = ['a/web/web', 'a/shop/shop', 'b/web/web'].map(resource => ({
      ...{ code, message, hint: 'Rename it.', resource, retry: 'never' as const },
    }))
    const sites = ['a', 'b'].map(name => ({ name, state: 'reachable' as const, labels: {} }))
    const said = linesOf({ sites, errors }).filter(line => line.includes('keep only one'))
    expect(said).to.deep.equal([`  ${message} (${code})`, `  ${message} (${code})`])
  })

  it('G13 tells a long reason whole below the table, once, where a row has only its beginning', () => {
    const reason = `1 of 2 tasks of web run: ${'starting container failed: '.repeat(8)}no such device`
    const web = (site: string, why: string) =>
      ({
        ...{ application: 'web', site, version: '1', running: 1, wanted: 2, commit: '', reason: why },
        sync: 'Synced',
        health: 'Degraded',
      }) as const
    const told = (...whys: readonly string[]) =>
      linesOf({ applications: whys.map((why, index) => web(`site-${index}`, why)) }).slice(1)
    const row = `1/2              ${reason.slice(0, 95)}…`
    expect(told(reason)).to.deep.equal([
      `  web          site-0  Synced  Degraded  1        ${row}`,
      `  web on site-0: ${reason}`,
    ])
    expect(told(reason, reason)[2]).to.equal(`  web on 2 sites: site-0, site-1: ${reason}`)
    expect(told(reason.slice(0, 96)), 'a row has all of it').to.have.lengthOf(1)
  })

  it('G13 cuts no command that it tells to run, and names the site for it', () => {
    const why = (site: string) =>
      `this version was deleted from the queue by ann@ops.example.com; "tallyman force-upgrade web 2 --site ${site}" installs it there after all`
    const web = (site: string) =>
      ({
        ...{ application: 'web', site, version: '1', running: 1, wanted: 1, commit: '', reason: why(site) },
        ...{ sync: 'OutOfSync' as const, health: 'Healthy' as const, code: 'upgrade-deleted' as const },
      }) as const
    const told = (...sites: readonly string[]) => linesOf({ applications: sites.map(web) }).slice(1)
    const row = '1/1              this version was deleted from the queue by ann@ops.example.com …'
    expect(told('a')).to.deep.equal([
      `  web          a     OutOfSync  Healthy  1        ${row}`,
      '  web on a: this version was deleted from the queue by ann@ops.example.com; "tallyman force-upgrade web 2 --site a" installs it there after all',
    ])
    expect(told('a', 'b').at(-1)).to.equal(
      '  web on 2 sites: a, b: this version was deleted from the queue by ann@ops.example.com; "tallyman force-upgrade web 2 --site a --site b" installs it there after all',
    )
    expect(told('a', 'b', 'c', 'd').at(-1), 'nobody types many').to.include('--site SITE')
  })

  it('G13 tells a long reason of what is held whole, too, unless an error or a deployment above has it', () => {
    const reason = `no upgrade path leads from 1.0.0 to 3.0.0: ${'version 2.0.0 failed here before; '.repeat(3)}`
    const held = { sync: 'OutOfSync', health: 'Healthy', code: 'no-upgrade-path' } as const
    const web = { application: 'web', site: 'a', version: '1', running: 1, commit: '', reason, ...held }
    const error = { code: held.code, message: `a: ${reason}`, hint: 'Wait.', retry: 'never' } as const
    const deployment = { name: 'web', application: 'web', state: 'waiting', batches: [], left: [] } as const
    const sites = { done: 0, now: 0, toCome: 1 }
    const last = (more: Partial<StatusDocument>) => linesOf({ applications: [web], ...more }).at(-1)
    expect(last({})).to.equal(`  web on a: ${reason}`)
    expect(last({ errors: [error] })).to.match(/^ {2}web {10}a/)
    expect(last({ deployments: [{ ...deployment, sites, reason: `a (${reason})` }] })).to.match(/^ {2}web/)
  })

  it('G13 says on which nodes of a Swarm tasks run, and names all of many only when all is asked for', () => {
    const web = {
      application: 'shop',
      site: 'cluster',
      sync: 'Synced',
      health: 'Healthy',
      version: '1',
    } as const
    const on = (nodes: number) =>
      Array.from({ length: nodes }, (_, index) => ({
        ...{ service: 'web', node: `n${index}`, id: `id${index}`, running: index + 1 },
      }))
    const applications = (nodes: number) => [
      { ...web, running: 1, wanted: 1, commit: '', reason: '', tasks: on(nodes) },
    ]
    const tasks = (nodes: number, every = false) =>
      printed(statusLines({ ...nothing, applications: applications(nodes) }, 0, every), false)
        .split('\n')
        .slice(3, 5)
    expect(tasks(2)).to.deep.equal(['  tasks of  site     on nodes', '  shop/web  cluster  n0 (1), n1 (2)'])
    const ten = 'n0 (1), n1 (2), n2 (3), n3 (4), n4 (5), n5 (6), n6 (7), n7 (8), n8 (9), n9 (10)'
    expect(tasks(12)[1]).to.equal(`  shop/web  cluster  ${ten} and 2 others`)
    expect(tasks(12, true)[1]).to.equal(`  shop/web  cluster  ${ten}, n10 (11), n11 (12)`)
    expect(tasks(0)[0]).to.equal('')
  })

  it('G13 tells nodes of a Swarm apart by their ids where they have one name', () => {
    const vm = (service: string, id: string) => ({ service, node: 'vm', id, running: 1 })
    const [first, second] = ['m4wdiqxt022ohomge88z69aia', '0bxqz1ryk3x7v1v0c5m2wzq6p']
    const shop = {
      application: 'shop',
      site: 'cluster',
      sync: 'Synced',
      health: 'Healthy',
      version: '1',
      running: 1,
      wanted: 1,
      commit: '',
      reason: '',
    } as const
    const rows = (...tasks: readonly ReturnType<typeof vm>[]) =>
      linesOf({ applications: [{ ...shop, tasks }] }).slice(3)
    expect(rows(vm('web', first), vm('web', second), vm('db', second))).to.deep.equal([
      '  shop/web  cluster  vm m4wdiqxt022o (1), vm 0bxqz1ryk3x7 (1)',
      '  shop/db   cluster  vm 0bxqz1ryk3x7 (1)',
    ])
    expect(rows(vm('web', first), vm('db', first)), 'there is only one').to.deep.equal([
      '  shop/web  cluster  vm (1)',
      '  shop/db   cluster  vm (1)',
    ])
  })
})
