import { expect } from 'chai'
import { type ApprovedItem, targetsOf } from '../../../../lib/journal/decisions/approved-targets.ts'
import type { Journal } from '../../../../lib/journal/journal.ts'
import { change } from '../../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

function item(resource: string, release = 'release-2'): ApprovedItem {
  return { resource, action: 'replace', release }
}

function part(site: string, ...items: readonly ApprovedItem[]) {
  return { site, planId: `plan of ${site}`, commit: 'c1', items }
}

type Part = ReturnType<typeof part>

function approve(journal: Journal, parts: readonly Part[], planId = 'together'): void {
  const given = { environment: 'prod', planId, commit: 'c1', who: 'ann', via: 'control' } as const
  journal.approve({ ...given, parts, atMs: 1_000, expiresAtMs: 5_000 })
}

function approved(journal: Journal, site: string): readonly string[] {
  return journal.approvals('prod', site, 1_500).map(({ resource, release }) => `${resource} ${release}`)
}

describe('journal: the approval of several sites', () => {
  it('D4 names what each application is brought to once, with all sites that it is for', () => {
    const parts = [
      part('a', item('shop/web'), item('shop/db'), item('blog/blog')),
      part('b', item('shop/db'), item('shop/web')),
      part('c', item('shop/web')),
    ]
    const [db, web, blog] = ['db', 'web', 'blog'].map(service => ({
      service,
      action: 'replace',
      release: 'release-2',
    }))
    expect(targetsOf(parts)).to.deep.equal([
      { application: 'shop', items: [db, web], sites: ['a', 'b'] },
      { application: 'blog', items: [blog], sites: ['a'] },
      { application: 'shop', items: [web], sites: ['c'] },
    ])
  })

  it('X18 D4 ends on each site by itself, and can be taken back where it has not', () => {
    const journal = memoryJournal()
    const longer = { ...part('b', item('shop/web')), expiresAtMs: 90_000 }
    approve(journal, [part('a', item('shop/web')), longer])
    const endOn = (site: string) =>
      journal.approvals('prod', site, 1_500).map(({ expiresAtMs }) => expiresAtMs)
    expect([endOn('a'), endOn('b')]).to.deep.equal([[5_000], [90_000]])
    expect(journal.unbegunApproval('prod', 6_000)?.about).to.deep.equal([{ site: 'b', application: 'shop' }])
    expect(journal.takeBackApprovals('prod', ['together'], 6_000)).to.deep.equal({
      plans: [{ site: 'b', planId: 'plan of b', commit: 'c1', applications: ['shop'] }],
      begun: [],
    })
    expect(journal.unbegunApproval('prod', 6_000)).to.equal(undefined)
  })

  it('D4 gives each site what is approved there, under the plan of that site, and a site that joins later nothing', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web')), part('b', item('shop/web'), item('shop/db'))])
    expect(journal.approvals('prod', 'b', 1_500)).to.deep.equal(
      ['shop/db', 'shop/web'].map(resource => ({
        resource,
        action: 'replace',
        release: 'release-2',
        planId: 'plan of b',
        commit: 'c1',
        who: 'ann',
        via: 'control',
        atMs: 1_000,
        expiresAtMs: 5_000,
        wantedSeq: 0,
      })),
    )
    expect(approved(journal, 'a')).to.deep.equal(['shop/web release-2'])
    expect(approved(journal, 'joined later')).to.deep.equal([])
  })

  it('D4 uses an approval up for the service and the site where the change was made, and nowhere else', () => {
    const journal = memoryJournal()
    const shop = [item('shop/web'), item('shop/db')]
    approve(journal, [part('a', ...shop), part('b', ...shop)])
    journal.useApproval('prod', change({ site: 'a', release: 'another release' }))
    journal.useApproval('prod', change({ site: 'a', action: 'remove' }))
    expect(approved(journal, 'a')).to.deep.equal(['shop/db release-2', 'shop/web release-2'])
    journal.useApproval('prod', change({ site: 'a', action: 'start' }))
    journal.useApproval('prod', change({ site: 'a', action: 'start' }))
    expect(approved(journal, 'a')).to.deep.equal(['shop/db release-2'])
    journal.useApproval('prod', change({ site: 'a', service: 'db' }))
    expect(approved(journal, 'a')).to.deep.equal([])
    expect(approved(journal, 'b')).to.deep.equal(['shop/db release-2', 'shop/web release-2'])
  })

  it('D4 lets a later approval on one site take the place of the earlier one there alone', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web')), part('b', item('shop/web'))])
    approve(journal, [part('b', item('shop/web', 'release-3'))])
    expect(approved(journal, 'a')).to.deep.equal(['shop/web release-2'])
    expect(approved(journal, 'b')).to.deep.equal(['shop/web release-3'])
  })

  it('D4 knows an approval as long as nothing of it has begun on one of its sites', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web')), part('b', item('shop/web'))])
    journal.beginApproved('prod', [change({ site: 'a' }), change({ site: 'b', release: 'another release' })])
    expect(journal.unbegunApproval('prod', 1_500)).to.deep.include({
      ...{ planId: 'together', who: 'ann', about: [{ site: 'b', application: 'shop' }] },
    })
    journal.beginApproved('prod', [change({ site: 'b' })])
    expect(journal.unbegunApproval('prod', 1_500)).to.equal(undefined)
  })

  it('D4 does not wait any more for what cleans up once a later plan was approved on the site, because that decides it anew', () => {
    const journal = memoryJournal()
    const network = item('prod_default/network prod_default')
    approve(journal, [part('a', network), part('b', network)])
    expect(journal.unbegunApproval('prod', 1_500)?.about.map(({ site }) => site)).to.deep.equal(['a', 'b'])
    approve(journal, [part('a', item('shop/web'))])
    journal.beginApproved('prod', [change({ site: 'a' })])
    expect(journal.unbegunApproval('prod', 1_500)?.about.map(({ site }) => site)).to.deep.equal(['b'])
  })

  it('D4 A33 leaves out what is approved of an application that nobody can go on with', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web'), item('api/api')), part('b', item('shop/web'))])
    expect(journal.unbegunApproval('prod', 1_500, ['shop'])).to.include({ planId: 'together' })
    journal.beginApproved('prod', [change({ site: 'a', application: 'api', service: 'api' })])
    expect(journal.unbegunApproval('prod', 1_500, ['shop'])).to.equal(undefined)
    expect(journal.unbegunApproval('prod', 1_500)).to.include({ planId: 'together' })
  })

  it('X18 lets what is approved of an application lapse where nothing of it has begun, and nothing else', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web'), item('api/api')), part('b', item('shop/web'))])
    journal.beginApproved('prod', [change({ site: 'b' })])
    journal.lapseApprovals('prod', 'shop')
    expect(approved(journal, 'a')).to.deep.equal(['api/api release-2'])
    expect(approved(journal, 'b')).to.deep.equal(['shop/web release-2'])
  })

  it('D4 X18 lets what has begun be taken back again where nothing of it was touched, unless something else of it was', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web'), item('api/api'))])
    const web = change({ site: 'a' })
    const api = change({ site: 'a', application: 'api', service: 'api' })
    const begun = journal.beginApproved('prod', [web])
    expect(begun.map(({ application, service }) => `${application}/${service}`)).to.deep.equal(['shop/web'])
    expect(journal.begunItems('prod', web)).to.deep.equal(begun)
    journal.takeBackBegun(begun)
    expect(approved(journal, 'a')).to.deep.equal(['api/api release-2', 'shop/web release-2'])
    expect(journal.unbegunApproval('prod', 1_500)).to.include({ planId: 'together' })
    journal.beginApproved('prod', [api])
    const again = journal.beginApproved('prod', [web, api])
    expect(again, 'what had begun before is not among it').to.deep.equal(begun)
    journal.takeBackBegun(again)
    expect(journal.takeBackApprovals('prod', ['together'], 1_500)).to.equal(undefined)
  })

  it('X18 ends what had begun when somebody went back, if nothing of that application was touched', () => {
    const journal = memoryJournal()
    const shop = [item('shop/web'), item('shop/db')]
    approve(journal, [part('a', ...shop), part('b', ...shop)])
    const onA = journal.beginApproved('prod', [change({ site: 'a' })])
    const onB = journal.beginApproved('prod', [change({ site: 'b' }), change({ site: 'b', service: 'db' })])
    journal.lapseApprovals('prod', 'shop')
    journal.takeBackBegun(onA)
    journal.takeBackBegun(onB.filter(({ service }) => service === 'web'))
    expect(approved(journal, 'a')).to.deep.equal([])
    expect(approved(journal, 'b')).to.deep.equal(['shop/db release-2', 'shop/web release-2'])
  })

  it('D4 takes nothing back that has expired', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web'))])
    expect(journal.takeBackApprovals('prod', ['together'], 5_000)).to.equal(undefined)
    expect(journal.takeBackApprovals('prod', ['plan of a'], 4_999)).to.deep.equal({
      plans: [{ site: 'a', planId: 'plan of a', commit: 'c1', applications: ['shop'] }],
      begun: [],
    })
  })

  it('D3 D4 takes back what was shown together, also of a site of which only removals waited', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web')), part('b')])
    expect(
      journal.takeBackApprovals('prod', ['together'], 1_500)?.plans.map(({ site }) => site),
    ).to.deep.equal(['a', 'b'])
  })

  it('X18 D4 names several releases of a service, each of which is used up for itself', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web'), item('shop/web', 'release-3'))])
    journal.useApproval('prod', change({ site: 'a' }))
    expect(approved(journal, 'a')).to.deep.equal(['shop/web release-3'])
    journal.useApproval('prod', change({ site: 'a', release: 'release-3' }))
    expect(approved(journal, 'a')).to.deep.equal([])
  })

  it('X18 D4 is replaced by one that names another release, and not for a release that both name', () => {
    const journal = memoryJournal()
    approve(journal, [part('a', item('shop/web'), item('shop/web', 'release-3'))])
    approve(journal, [part('a', item('shop/web'), item('shop/web', 'release-4'))], 'later')
    expect([...new Set(approved(journal, 'a'))]).to.deep.equal(['shop/web release-2', 'shop/web release-4'])
  })
})
