import { expect } from 'chai'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { application, changed, desired, live, service } from '../../../support/builders/builders.ts'
import { planOf, type Situation } from '../../../support/builders/planning.ts'

const gate = 'prod.shop.ingress'
const shop = application('shop', [service({ name: 'web', network: gate })])
const old = application('old', [service({ name: 'old' })])
const ingress = application('tallyman-ingress', [
  service({ name: 'tallyman-ingress', network: gate }),
  service({ name: 'static-shop', network: gate }),
])
/** What a site has that `shop` leaves: it, what is Tallyman's own, and what no manifest names any more. */
const there = live(desired(shop, ingress, old))
const leaving: DesiredState = { ...desired(), elsewhere: ['shop'], isWantedElsewhere: true }

/** `shop/web remove`, what it comes after, and why it is left alone. */
function told(situation: Partial<Situation>): readonly string[] {
  const { changes } = planOf({ desired: leaving, live: there, networks: [gate], ...situation })
  return changes.map(({ application, service, action, after, held }) => {
    const behind = after.map(({ key, must }) => ` after ${key} (${must})`)
    return `${application}/${service} ${action}${behind.join('')}${held === undefined ? '' : `, held: ${held.code}`}`
  })
}

const afterShop = 'after local/shop/web (succeed)'
const afterAll = `${afterShop} after local/tallyman-ingress/tallyman-ingress (succeed) after local/tallyman-ingress/static-shop (succeed)`

describe('what is of Tallyman itself on a site that all applications leave', () => {
  it('A26 G4 goes once the last one that needed it has gone, and so does what no manifest names any more', () => {
    expect(told({})).to.deep.equal([
      'old/old remove',
      'shop/web remove',
      `tallyman-ingress/static-shop remove ${afterShop}`,
      `tallyman-ingress/tallyman-ingress remove ${afterShop}`,
      `${gate}/network ${gate} remove ${afterAll}`,
    ])
  })

  it('A26 goes by itself where all others are gone already, also a network', () => {
    const left = live(desired(ingress))
    const { changes } = planOf({ desired: leaving, live: left, networks: [gate] })
    expect(changes.map(({ goesWithLast, held }) => [goesWithLast, held])).to.deep.equal([
      [true, undefined],
      [true, undefined],
      [true, undefined],
    ])
    const reason = 'no application on this site needs it any more'
    expect(changes.map(({ reason }) => reason)).to.deep.equal([reason, reason, 'no longer used'])
    const network = planOf({ desired: leaving, live: live(desired()), networks: [gate] }).changes
    expect(network.map(({ service, goesWithLast }) => [service, goesWithLast])).to.deep.equal([
      [`network ${gate}`, true],
    ])
  })

  it('G14 A25 stays with an application that is suspended, or that stays because the site joined', () => {
    const staying = (code: string) => [
      'old/old remove',
      `shop/web remove, held: ${code}`,
      `tallyman-ingress/static-shop remove ${afterShop}, held: ${code}`,
      `tallyman-ingress/tallyman-ingress remove ${afterShop}, held: ${code}`,
    ]
    const suspended = new Map([['shop', { reason: 'Ann looks into it', sinceMs: 1_000 }]])
    expect(told({ rules: { suspended } })).to.deep.equal(staying('suspended'))
    const joined = new Map([['shop', 'everywhere']])
    expect(told({ desired: { ...leaving, joined } })).to.deep.equal(staying('not-placed'))
  })

  it('G4 stays with what no manifest names any more while nothing is wanted on any site, and goes with what leaves', () => {
    const lost: DesiredState = { ...desired(), elsewhere: ['shop'] }
    expect(told({ desired: lost })).to.deep.equal([
      'old/old remove, held: empty-desired-state',
      'shop/web remove',
      `tallyman-ingress/static-shop remove ${afterShop}`,
      `tallyman-ingress/tallyman-ingress remove ${afterShop}`,
      `${gate}/network ${gate} remove ${afterAll}`,
    ])
    expect(told({ desired: { ...lost, elsewhere: ['new'] } })).to.deep.equal([
      'old/old remove, held: empty-desired-state',
      'shop/web remove, held: empty-desired-state',
      `tallyman-ingress/static-shop remove ${afterShop}, held: empty-desired-state`,
      `tallyman-ingress/tallyman-ingress remove ${afterShop}, held: empty-desired-state`,
    ])
  })

  it('G4 stays where the manifest asks for nothing at all', () => {
    expect(told({ desired: desired(), live: live(desired(ingress)) })).to.deep.equal([
      'tallyman-ingress/static-shop remove, held: empty-desired-state',
      'tallyman-ingress/tallyman-ingress remove, held: empty-desired-state',
    ])
  })

  it('D15 is asked about by itself while an application is blocked, because nobody knows what that needs', () => {
    const blocked = [
      { application: 'shop', problems: [{ code: 'image-not-found', message: 'no such image' }] },
    ] as const
    const { changes } = planOf({ desired: { ...leaving, elsewhere: ['blog'], blocked }, live: there })
    expect(changes.map(({ service, goesWithLast }) => [service, goesWithLast])).to.deep.equal([
      ['old', undefined],
      ['static-shop', undefined],
      ['tallyman-ingress', undefined],
    ])
  })

  it('A25 D3 gets what is new of it, which asks, where an application stays because the site joined', () => {
    const newer = application('tallyman-ingress', [
      service({ name: 'tallyman-ingress', network: gate, tag: '2' }),
    ])
    const wanted: DesiredState = {
      ...desired(newer),
      elsewhere: ['shop', 'blog'],
      isWantedElsewhere: true,
      joined: new Map([['shop', 'everywhere']]),
    }
    const blog = application('blog', [service({ name: 'blog', network: gate })])
    const { changes } = planOf({ desired: wanted, live: live(desired(shop, blog, ingress)) })
    const change = changes.find(({ service }) => service === 'tallyman-ingress')
    expect([change?.action, change?.held, change?.goesWithLast]).to.deep.equal([
      'replace',
      undefined,
      undefined,
    ])
    expect(change?.after).to.deep.equal([{ key: 'local/blog/blog', must: 'succeed' }])
    expect(changes.find(({ service }) => service === 'blog')?.after).to.deep.equal([])
  })

  it('D3 A25 is repaired without waiting for anybody, where an application stays because the site joined', () => {
    const wanted: DesiredState = {
      ...desired(ingress),
      elsewhere: ['shop', 'blog'],
      joined: new Map([['shop', 'everywhere']]),
    }
    const blog = application('blog', [service({ name: 'blog', network: gate })])
    const crashed = { state: 'exited', exitCode: 1 } as const
    const stopped = changed(live(desired(shop, blog, ingress)), 'tallyman-ingress.1', crashed)
    const { changes } = planOf({ desired: wanted, live: stopped, applied: wanted })
    const repair = changes.find(({ service }) => service === 'tallyman-ingress')
    expect([repair?.action, repair?.after, repair?.held]).to.deep.equal(['start', [], undefined])
  })
})
