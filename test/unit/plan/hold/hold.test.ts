import { expect } from 'chai'
import { forSwarm } from '../../../../lib/resolve/swarm/for-swarm.ts'
import type { Service } from '../../../../lib/state/application/application.ts'
import type { Pin } from '../../../../lib/state/application/container/container.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { mapContainers } from '../../../../lib/state/application/members.ts'
import { application, changed, desired, live, service, without } from '../../../support/builders/builders.ts'
import {
  applicationReleaseOf,
  courseOf,
  onlyChange,
  planOf,
  type Situation,
  targetOf,
  told,
} from '../../../support/builders/planning.ts'

const unknown: Pin = { state: 'unknown', reason: 'registry.example.com does not answer' }

/** `web: replace`, or with why it is left alone. */
function verdicts(situation: Situation): readonly string[] {
  return planOf(situation).changes.map(
    ({ service, action, held }) =>
      `${service}: ${action}${held === undefined ? '' : `, held (${held.code}): ${held.reason}`}`,
  )
}

describe('what is left alone', () => {
  const web = desired({ name: 'web' })
  const both = desired({ name: 'web' }, { name: 'old' })

  describe('removals', () => {
    it('D3 removes what left the manifest', () => {
      expect(verdicts({ desired: web, live: live(both) })).to.deep.equal(['old: remove'])
    })

    it('D3 only reports it under "prune: never"', () => {
      expect(verdicts({ desired: web, live: live(both), rules: { prune: 'never' } })).to.deep.equal([
        'old: remove, held (prune-never): neither the manifest nor a deployment names it any more; "prune: never" only reports',
      ])
    })

    it('G4 removes nothing when nothing at all is wanted', () => {
      expect(verdicts({ desired: desired(), live: live(both) })).to.deep.equal([
        'old: remove, held (empty-desired-state): the manifest asks for nothing at all; an empty manifest never removes anything',
        'web: remove, held (empty-desired-state): the manifest asks for nothing at all; an empty manifest never removes anything',
      ])
    })

    it('G4 says what is wanted where all of that is blocked or has nothing to run, and removes nothing', () => {
      const blocked = [
        { application: 'shop', problems: [{ code: 'pod-invalid', message: 'has no apps' }] },
      ] as const
      expect(verdicts({ desired: { ...desired(), blocked }, live: live(web) })).to.deep.equal([
        'web: remove, held (empty-desired-state): all that the manifest asks for is blocked: shop; nothing else is removed until some of it can run',
      ])
      expect(verdicts({ desired: { ...desired(), blocked, idle: ['api'] }, live: live(web) })).to.deep.equal([
        'web: remove, held (empty-desired-state): all that the manifest asks for is blocked: shop; nothing says what runs for api, because there is no specification of that name; nothing else is removed until some of it can run',
      ])
    })

    it('G4 counts the ingress that is there for what is blocked as nothing that is wanted', () => {
      const blocked = [
        { application: 'shop', problems: [{ code: 'pod-invalid', message: 'has no apps' }] },
      ] as const
      const wanted = { ...desired(application('tallyman-ingress', [service({ name: 'edge' })])), blocked }
      expect(
        verdicts({ desired: wanted, live: live(desired(...wanted.applications, { name: 'old' })) }),
      ).to.deep.equal([
        'old: remove, held (empty-desired-state): all that the manifest asks for is blocked: shop; nothing else is removed until some of it can run',
      ])
    })

    it('D15 removes nothing of an application that is blocked', () => {
      const blocked: DesiredState = {
        ...web,
        blocked: [{ application: 'old', problems: [{ code: 'image-not-found', message: 'no such image' }] }],
      }
      expect(verdicts({ desired: blocked, live: live(both) })).to.deep.equal([])
    })
  })

  describe('a port of the host that a container of others publishes', () => {
    const publishing = desired({ name: 'web', hostPort: 8080 }, { name: 'other' })
    const holder = 'blog/blog in environments/test of ops/blog (the container test.blog.1)'
    const taken = (address: string | undefined, port: number, protocol: 'tcp' | 'udp' = 'tcp') => [
      { port: { of: 'port', port, protocol, ...(address ? { address } : {}) } as const, holder },
    ]
    const none = live(desired())

    for (const address of [undefined, '0.0.0.0', '127.0.0.1'])
      it(`G13 keeps a service from being started that publishes it, and says whose it is (${address ?? 'all addresses'})`, () => {
        expect(verdicts({ desired: publishing, live: none, ports: taken(address, 8080) })).to.deep.equal([
          'other: create',
          `web: create, held (port-taken): ${holder} publishes host port 8080`,
        ])
      })

    it('G13 keeps nothing from being started that publishes another port, or the same one of another protocol', () => {
      for (const ports of [taken(undefined, 8081), taken(undefined, 8080, 'udp')])
        expect(verdicts({ desired: publishing, live: none, ports })).to.deep.equal([
          'other: create',
          'web: create',
        ])
    })

    it('G13 keeps a service of a Swarm from being made only if the Swarm is certain to publish it there', () => {
      const web = { ...service({ hostPort: 8080 }), isGlobal: true } as const
      const certain = (one: Service, publish: 'host' | 'ingress') => {
        const onSwarm = forSwarm(desired(application('web', [one])), { endpoint: 'vip', publish })
        const [verdict] = verdicts({ desired: onSwarm, live: none, ports: taken(undefined, 8080) })
        return verdict?.includes('port-taken')
      }
      expect(certain(web, 'host'), 'each node has a task').to.equal(true)
      expect(certain(service({ hostPort: 8080 }), 'ingress'), 'each node publishes it').to.equal(true)
      expect(certain(service({ hostPort: 8080 }), 'host'), 'another node may run it').to.equal(false)
      const nodes = { kind: 'equal', label: 'disk', value: 'ssd' } as const
      expect(certain({ ...web, nodes }, 'host'), 'it may not be for this node').to.equal(false)
    })

    it('G13 keeps any service of a Swarm from being made where others have the port on all nodes', () => {
      const onSome = forSwarm(desired(application('web', [service({ hostPort: 8080 })])), {
        ...{ endpoint: 'vip', publish: 'host' },
      })
      const ports = taken(undefined, 8080).map(one => ({ ...one, isOnAll: true as const }))
      expect(verdicts({ desired: onSome, live: none, ports })).to.include(
        `web: create, held (port-taken): ${holder} publishes host port 8080`,
      )
    })

    it('D9 keeps nothing from being repaired that is there', () => {
      const stopped = changed(live(publishing), 'web.1', { state: 'exited', exitCode: 0 })
      expect(
        verdicts({ desired: publishing, live: stopped, applied: publishing, ports: taken(undefined, 8080) }),
      ).to.deep.equal(['web: start'])
    })
  })

  describe('a service of others on a Swarm', () => {
    const on = forSwarm(desired(application('shop', [service({ name: 'web' })]), { name: 'other' }), {
      ...{ endpoint: 'vip', publish: 'host' },
    })
    const holder = 'not one that tallyman made'

    it('G13 keeps one from being made that needs its name, and says whose it is', () => {
      const taken = [{ name: 'prod_shop_web', holder }]
      expect(
        verdicts({ desired: on, live: live(desired()), networks: [], takenServices: taken }),
      ).to.deep.equal([
        'other: create',
        `web: create, held (name-taken): the service prod_shop_web is ${holder}`,
      ])
      expect(
        verdicts({
          desired: on,
          live: live(desired()),
          networks: [],
          takenServices: [{ name: 'prod_shop_we', holder }],
        }),
      ).to.deep.equal(['other: create', 'web: create'])
    })
  })

  describe('a network of others', () => {
    const holder = 'that of environments/prod.shop of ops/blog'
    const shop = desired(application('shop', [service({ name: 'web', network: 'prod.shop' })]), {
      name: 'other',
    })
    const taken = (name: string) => [{ name, holder }]

    it('G13 keeps a service from being started that needs its name, and says whose it is', () => {
      expect(verdicts({ desired: shop, live: live(desired()), taken: taken('prod.shop') })).to.deep.equal([
        'other: create',
        `web: create, held (name-taken): the network prod.shop is ${holder}`,
      ])
    })

    it('G13 keeps nothing from being started that needs another one, and nothing from running on', () => {
      for (const name of ['prod.shops', 'bridge', 'host'])
        expect(verdicts({ desired: shop, live: live(desired()), taken: taken(name) })).to.deep.equal([
          'other: create',
          'web: create',
        ])
      expect(
        verdicts({ desired: shop, live: live(shop), applied: shop, taken: taken('prod.shop') }),
      ).to.deep.equal([])
    })
  })

  describe('drift', () => {
    const stopped = changed(live(web), 'web.1', { state: 'exited', exitCode: 0 })

    it('D9 is repaired', () => {
      expect(verdicts({ desired: web, live: stopped, applied: web })).to.deep.equal(['web: start'])
    })

    it('D9 is only reported under "drift: report"', () => {
      expect(
        verdicts({ desired: web, live: stopped, applied: web, rules: { drift: 'report' } }),
      ).to.deep.equal(['web: start, held (drift-reported): "drift: report" only reports'])
    })

    it('D9 under "drift: report" does not hold back what we changed ourselves', () => {
      const next = desired({ name: 'web', tag: '2' })
      expect(
        verdicts({ desired: next, live: stopped, applied: web, rules: { drift: 'report' } }),
      ).to.deep.equal(['web: replace'])
    })

    it('D9 is what was applied and is gone; what was never applied is new', () => {
      const causeOf = (applied: DesiredState) =>
        onlyChange(planOf({ desired: web, live: without(live(web), 'web.1'), applied })).cause
      expect([causeOf(web), causeOf(desired())]).to.deep.equal(['drifted', 'missing'])
    })
  })

  describe('by a suspension', () => {
    const next = desired({ name: 'web', tag: '2' }, { name: 'api', tag: '2' })
    const before = live(desired({ name: 'web' }, { name: 'api' }))

    it('G14 holds one application, with the reason and since when', () => {
      const suspended = new Map([['web', { reason: 'Ann looks into it', sinceMs: 1_000 }]])
      const { changes } = planOf({ desired: next, live: before, rules: { suspended } })
      expect(changes.map(({ held }) => held)).to.deep.equal([
        undefined,
        { code: 'suspended', reason: 'Ann looks into it', sinceMs: 1_000 },
      ])
    })

    it('G14 holds what requires it, directly or by others, also if nothing of its own differs', () => {
      const chainOf = (tag: string) =>
        desired(
          application('db', [service({ name: 'db' })]),
          application('shop', [service({ name: 'shop', tag })], { requires: ['db'] }),
          application('stock', [service({ name: 'stock', tag })], { requires: ['shop'] }),
          application('blog', [service({ name: 'blog', tag })]),
        )
      const suspended = new Map([['db', { reason: 'Ann moves it', sinceMs: 1_000 }]])
      const { changes } = planOf({ desired: chainOf('2'), live: live(chainOf('1')), rules: { suspended } })
      const held = {
        code: 'suspended',
        reason: 'requires db, which is suspended: Ann moves it',
        sinceMs: 1_000,
      }
      expect(changes.map(({ application, held }) => [application, held])).to.deep.equal([
        ['blog', undefined],
        ['shop', held],
        ['stock', held],
      ])
    })

    it('G14 holds the whole environment', () => {
      const suspended = new Map([['*', { reason: 'freeze', sinceMs: 1_000 }]])
      expect(verdicts({ desired: next, live: before, rules: { suspended } })).to.deep.equal([
        'api: replace, held (suspended): freeze',
        'web: replace, held (suspended): freeze',
      ])
    })
  })

  describe('while the newest commit cannot be read', () => {
    const next = desired({ name: 'web', tag: '2' })
    const reason = 'the newest commit cannot be read'
    const onlyRepairs = { code: 'git-unreachable', reason, isUnread: true } as const

    it('D15 begins nothing', () => {
      expect(
        verdicts({ desired: next, live: live(web), applied: web, rules: { onlyRepairs } }),
      ).to.deep.equal(['web: replace, held (git-unreachable): the newest commit cannot be read'])
    })

    it('G5 D15 finishes what was begun', () => {
      const half = { site: 'local', containers: [...live(web).containers, ...live(next).containers] }
      expect(
        verdicts({ desired: next, live: half, applied: web, attempt: next, rules: { onlyRepairs } }),
      ).to.deep.equal(['web: replace'])
    })
  })

  describe('by a quarantine', () => {
    const next = desired({ name: 'web', tag: '2' })
    const quarantined = new Map([
      [
        'local/web/web',
        { release: applicationReleaseOf(next, 'web'), reason: 'failed before: unhealthy', sinceMs: 1_000 },
      ],
    ])

    it('G5 does not try again what failed', () => {
      expect(
        verdicts({ desired: next, live: live(web), applied: web, rules: { quarantined } }),
      ).to.deep.equal(['web: replace, held (quarantined): failed before: unhealthy'])
    })

    it('G5 tries when the desired state changes', () => {
      const third = desired({ name: 'web', tag: '3' })
      expect(
        verdicts({ desired: third, live: live(web), applied: web, rules: { quarantined } }),
      ).to.deep.equal(['web: replace'])
    })

    it('G5 finishes the undo that was interrupted', () => {
      const old = changed(live(web), 'web.1', { state: 'exited', exitCode: 0 })
      const left = { site: 'local', containers: [...old.containers, ...live(next).containers] }
      const change = onlyChange(planOf({ desired: next, live: left, applied: web, rules: { quarantined } }))
      expect(change.reason).to.equal('puts back what ran before the failed rollout')
      expect(change.target).to.equal(`before ${targetOf(next, 'web')}`)
      expect(change.lines).to.deep.equal([
        { sign: '~', name: 'web.1.4dbd505c', reason: 'ran before' },
        { sign: '-', name: 'web.1.ec341829', reason: 'of the failed rollout' },
      ])
      expect(told(courseOf(change), left)).to.deep.equal([
        'start-container web.1@1',
        'await-healthy web.1@1',
        'remove-container web.1@2',
      ])
    })

    it('G5 X18 names no version that comes after it while it puts back what ran before', () => {
      const old = changed(live(web), 'web.1', { state: 'exited', exitCode: 0 })
      const left = { site: 'local', containers: [...old.containers, ...live(next).containers] }
      const walk = { from: '1', by: ['2', '3'], later: [] } as const
      const upgrades = new Map([['web', { version: '2', walk }]])
      const situation = { desired: next, live: left, applied: web }
      const goesOn = planOf({ ...situation, rules: { upgrades } })
      expect(onlyChange(goesOn).walk).to.deep.equal(walk)
      const back = onlyChange(planOf({ ...situation, rules: { upgrades, quarantined } }))
      expect([back.reason, back.walk]).to.deep.equal([
        'puts back what ran before the failed rollout',
        undefined,
      ])
    })

    it('G5 frees a host port before it puts its holder back', () => {
      const before = desired({ name: 'web', hostPort: 80 })
      const after = desired({ name: 'web', tag: '2', hostPort: 80 })
      const old = changed(live(before), 'web.1', { state: 'exited', exitCode: 0 })
      const left = { site: 'local', containers: [...old.containers, ...live(after).containers] }
      const bad = { release: applicationReleaseOf(after, 'web'), reason: 'failed before', sinceMs: 0 }
      const { stages } = onlyChange(
        planOf({
          desired: after,
          live: left,
          applied: before,
          rules: { quarantined: new Map([['local/web/web', bad]]) },
        }),
      )
      expect(told(stages, left)).to.deep.equal([
        'remove-container web.1@2',
        'start-container web.1@1',
        'await-healthy web.1@1',
      ])
    })
  })

  it('G2 stops at a plan that was just applied and is still due', () => {
    const situation = { desired: web, live: live() }
    const { id } = planOf(situation)
    expect(verdicts({ ...situation, rules: { notConverging: { planId: id } } })).to.deep.equal([
      'web: create, held (not-converging): this very plan was just applied, and is needed again',
    ])
    expect(planOf({ ...situation, rules: { notConverging: { planId: id } } }).id).to.equal(id)
  })

  describe('by an unknown digest', () => {
    it('D5 is neither equal nor changed: nothing happens to the service', () => {
      const next = desired({ name: 'web', tag: '2', pin: unknown })
      const plan = planOf({ desired: next, live: live(web) })
      expect(plan.changes).to.deep.equal([])
      expect(plan.blocked).to.deep.equal([
        {
          application: 'web',
          problems: [{ code: 'digest-unknown', message: 'web: registry.example.com does not answer' }],
        },
      ])
    })

    it('D5 takes the digest of what runs where everything else is as wanted', () => {
      const same = desired({ name: 'web', pin: unknown })
      const plan = planOf({ desired: same, live: live(web) })
      expect([plan.changes, plan.blocked]).to.deep.equal([[], []])
    })

    it('D5 repairs what runs without asking a registry', () => {
      const same = desired({ name: 'web', pin: unknown })
      const stopped = changed(live(web), 'web.1', { state: 'exited', exitCode: 1 })
      expect(verdicts({ desired: same, live: stopped })).to.deep.equal(['web: start'])
    })

    it('D5 knows an instance of several unknown images again', () => {
      const known = desired({ name: 'web', beside: ['log'] })
      const same = desired({ name: 'web', beside: ['log'], pin: unknown })
      const plan = planOf({ desired: same, live: live(known) })
      expect([plan.changes, plan.blocked]).to.deep.equal([[], []])
    })

    it('D5 knows an instance again whose sandbox and init container are unknown', () => {
      const known = desired({ name: 'web', init: 'migrate' })
      const same = mapContainers(known.applications[0] ?? expect.fail(), container => ({
        ...container,
        image: { ...container.image, pin: unknown },
      }))
      const plan = planOf({ desired: desired(same), live: live(known) })
      expect([plan.changes, plan.blocked]).to.deep.equal([[], []])
    })

    it('D5 changes nothing of an instance of whose containers only the sandbox is unknown', () => {
      const { applications } = desired({ name: 'web', tag: '2', inSandbox: true })
      const next = mapContainers(applications[0] ?? expect.fail(), container =>
        container.name === 'sandbox'
          ? { ...container, image: { reference: 'example.com/pause:2', pin: unknown } }
          : container,
      )
      const plan = planOf({ desired: desired(next), live: live(desired({ name: 'web', inSandbox: true })) })
      expect(plan.changes).to.deep.equal([])
      expect(plan.blocked.map(({ problems }) => problems[0].code)).to.deep.equal(['digest-unknown'])
    })

    it('D15 holds the rest of the application, but repairs what the world broke', () => {
      const before = desired(application('shop', [service({ name: 'web' }), service({ name: 'db' })]))
      const partly = (tag: string) =>
        desired(
          application('shop', [
            service({ name: 'web', tag: '2', pin: unknown }),
            service({ name: 'db', tag }),
          ]),
        )
      expect(verdicts({ desired: partly('2'), live: live(before), applied: before })).to.deep.equal([
        'db: replace, held (digest-unknown): registry.example.com does not answer',
      ])
      const stopped = changed(live(before), 'db.1', { state: 'exited', exitCode: 1 })
      expect(verdicts({ desired: partly('1'), live: stopped, applied: before })).to.deep.equal(['db: start'])
    })

    it('D15 removes what left the specification beside it', () => {
      const before = desired(application('shop', [service({ name: 'web' }), service({ name: 'db' })]))
      const wanted = desired(application('shop', [service({ name: 'web', tag: '2', pin: unknown })]))
      expect(verdicts({ desired: wanted, live: live(before), applied: before })).to.deep.equal(['db: remove'])
    })
  })

  describe('by a dependency', () => {
    const chain = (tag: string, pin?: Pin) =>
      desired(
        application('db', [service({ name: 'db', tag, ...(pin ? { pin } : {}) })]),
        application('api', [service({ name: 'api', tag })], { requires: ['db'] }),
        application('web', [service({ name: 'web', tag })], { requires: ['api'] }),
        application('cron', [service({ name: 'cron', tag })]),
      )

    it('G11 stops what requires something that cannot be changed, and nothing else', () => {
      expect(verdicts({ desired: chain('2', unknown), live: live(chain('1')) })).to.deep.equal([
        'cron: replace',
        'api: replace, held (dependency-held): requires db, which cannot be changed now',
        'web: replace, held (dependency-held): requires api, which cannot be changed now',
      ])
    })

    it('G11 D3 stops nothing because a service is left in place that what is required no longer has', () => {
      const withMore = (tag: string, ...names: readonly string[]) => {
        const all = chain(tag)
        const more = names.map(name => service({ name }))
        const applications = all.applications.map(one =>
          one.name === 'db' ? application('db', [...one.services, ...more]) : one,
        )
        return { ...all, applications }
      }
      const [wanted, there] = [withMore('2', 'cache'), live(withMore('1', 'cache', 'old'))]
      expect(verdicts({ desired: wanted, live: there, rules: { prune: 'never' } })).to.deep.equal([
        'cron: replace',
        'db: replace',
        'api: replace',
        'web: replace',
        'old: remove, held (prune-never): no longer in the specification of db; "prune: never" only reports',
      ])
    })

    it('G11 stops what requires a blocked application', () => {
      const { applications, ...rest } = chain('2')
      const blocked: DesiredState = {
        ...rest,
        applications: applications.filter(({ name }) => name !== 'db'),
        blocked: [{ application: 'db', problems: [{ code: 'image-not-found', message: 'no such image' }] }],
      }
      expect(verdicts({ desired: blocked, live: live(chain('1')) })).to.deep.equal([
        'cron: replace',
        'api: replace, held (dependency-held): requires db, which cannot be changed now',
        'web: replace, held (dependency-held): requires api, which cannot be changed now',
      ])
    })
  })
})
