import { expect } from 'chai'
import type { HeldVersion } from '../../../../../lib/journal/fleet/held-versions.ts'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import { routingOf } from '../../../../../lib/state/application/ingress/traffic.ts'
import { versionOf } from '../../../../../lib/state/application/version-of.ts'
import { imagesOf } from '../../../../../lib/state/image/images.ts'
import { pinnedImages } from '../../../../../lib/state/image/version.ts'
import { ingressConfig } from '../../../../support/builders/ingress-config.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { commitHistory, hex, tags, web } from '../../../../support/git/commit-history.ts'

function held(version: string, parts: Partial<HeldVersion> = {}): HeldVersion {
  return {
    ...{ environment: 'prod', application: 'web', version, commit: hex(version[0] ?? '', 40) },
    ...{ reason: 'it leaks', who: 'ann', atMs: 0 },
    ...parts,
  }
}

/** `web 1.0 of 1`, with the commit where that is an earlier one. */
const wants = ({ applications }: DesiredState) =>
  applications.map(
    application =>
      `${application.name} ${versionOf(application)}${application.commit === undefined ? '' : ` of ${application.commit[0]}`}`,
  )

const history = {
  1: web('1.0', '1', 'old'),
  2: { ...web('2.0', '2'), ...tags({ web: '2', blog: '7' }) },
  3: tags({ blog: '8' }),
}

describe('an application that is held at a version', () => {
  it('A12 X8 is as it was then, in place of what the newest commit wants, and a warning says so', async () => {
    const { world, look, lookAll, registry } = commitHistory(history)
    await lookAll()
    await look('2')
    registry.answers = false
    world.journal.holdVersion(held('1.0'))
    const desired = await look('2')
    expect(wants(desired)).to.deep.equal(['web 1.0 of 1', 'blog 7'])
    expect(
      desired.applications
        .slice(0, 1)
        .flatMap(pinnedImages)
        .map(({ digest }) => digest),
    ).to.deep.equal([`sha256:${hex('1', 64)}`])
    expect(desired.warnings).to.deep.equal([
      {
        code: 'version-held',
        message:
          'web is held at version 1.0 of commit 111111111111 by ann since 1970-01-01 00:00:00: it leaks; the newest commit has 2.0',
      },
    ])
  })

  it('A12 stays there when commits come, and follows them again once it is resumed', async () => {
    const { world, look, kept } = commitHistory({ ...history, 4: web('4.0', '4') })
    await look('1')
    world.journal.holdVersion(held('1.0'))
    expect(wants(await look('2'))).to.deep.equal(['web 1.0 of 1', 'blog 7'])
    expect(wants(await look('4'))).to.deep.equal(['web 1.0 of 1'])
    world.journal.endHeldVersion('prod', 'web')
    expect(wants(await look('4'))).to.deep.equal(['web 4.0'])
    expect(kept('web').map(one => one.split(' ')[0])).to.deep.equal(['4.0', '2.0', '1.0'])
  })

  it('A12 runs even if the newest commit does not name it', async () => {
    const { world, look, lookAll } = commitHistory(history)
    await lookAll()
    world.journal.holdVersion(held('1.0'))
    const desired = await look('3')
    expect(wants(desired)).to.deep.equal(['blog 8', 'web 1.0 of 1'])
    expect(desired.warnings[0]?.message).to.match(/; the newest commit does not have it$/)
  })

  it('A6 is so although the version is none of the last four any more', async () => {
    const { world, look } = commitHistory(history)
    await look('1')
    world.journal.holdVersion(held('1.0'))
    for (const version of ['5', '6', '7', '8'])
      world.journal.keepVersion({ ...held(version), mark: version, images: [] })
    expect(wants(await look('3'))).to.deep.equal(['blog 8', 'web 1.0 of 1'])
  })

  it('D15 is left as it runs where that version cannot be read, until it can be', async () => {
    const { world, look, gone, passTime } = commitHistory(history)
    gone.add('1')
    world.journal.holdVersion(held('1.0'))
    const desired = await look('2')
    expect(wants(desired)).to.deep.equal(['blog 7'])
    expect(desired.blocked.map(({ application, problems: [{ code }] }) => [application, code])).to.deep.equal(
      [['web', 'version-unreadable']],
    )
    gone.delete('1')
    passTime(5_000)
    expect(wants(await look('2'))).to.deep.equal(['web 1.0 of 1', 'blog 7'])
  })

  it('G13 is told by the same value at each look, so that nothing looks like news', async () => {
    const { world, look } = commitHistory(history)
    await look('1')
    world.journal.holdVersion(held('1.0'))
    const first = await look('2')
    expect((await look('2')).applications).to.equal(first.applications)
  })
})

describe('the ingress of an application that is held at a version', () => {
  const routed = (tag: string, host?: string): Files => ({
    ...web(`${tag}.0`, tag),
    'applications/web.yaml': `
name: web
version: "${tag}.0"
services:
  - name: web
    containers: [{name: web, image: registry.example.com/web}]
${host === undefined ? '' : `    ingress: [{host: ${host}, port: 80}]`}
`,
  })
  const hosts = ({ applications }: DesiredState) =>
    applications
      .filter(({ name }) => name === 'tallyman-ingress')
      .flatMap(({ services }) => services)
      .flatMap(service =>
        (routingOf(service)?.routes ?? []).map(({ host, application }) => `${host} ${application}`),
      )
  const config = { ingress: ingressConfig({}) }

  it('A12 P33 has the routes of that version, even if the newest commit has none at all', async () => {
    const { world, look } = commitHistory({ 1: routed('1', 'old.example'), 2: routed('2') }, config)
    await look('1')
    expect(hosts(await look('2'))).to.deep.equal([])
    world.journal.holdVersion(held('1.0'))
    const desired = await look('2')
    expect(hosts(desired)).to.deep.equal(['old.example web'])
    const images = desired.applications.flatMap(pinnedImages)
    expect(images.length, 'each is pinned').to.equal(imagesOf(desired.applications).length)
    expect(desired.ingress?.image.pin.state, 'that of a site is made with it').to.equal('pinned')
  })

  it('A12 P33 has none of what the newest commit routes to it', async () => {
    const history = { 1: routed('1', 'old.example'), 2: routed('2', 'new.example') }
    const { world, look } = commitHistory(history, config)
    await look('1')
    world.journal.holdVersion(held('1.0'))
    expect(hosts(await look('2'))).to.deep.equal(['old.example web'])
  })

  it('D15 D19 is left to an application that answers those requests by now', async () => {
    const taken = {
      'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'blog' }] }),
      'applications/blog.yaml': `
name: blog
services:
  - name: blog
    containers: [{name: blog, image: "registry.example.com/blog:7"}]
    ingress: [{host: old.example, port: 80}]
`,
    }
    const { world, look } = commitHistory({ 1: routed('1', 'old.example'), 2: taken }, config)
    await look('1')
    world.journal.holdVersion(held('1.0'))
    const desired = await look('2')
    expect(hosts(desired)).to.deep.equal(['old.example blog'])
    expect(desired.blocked.map(({ problems }) => problems[0].message)).to.deep.equal([
      'web claims old.example/ in version 1.0, which blog claims, too',
    ])
  })

  it('D19 A20 P33 answers them where no site is to have both', async () => {
    const deployed = (application: string, expression: string) => ({
      [`deployments/${application}.yaml`]: `name: ${application}\napplication: ${application}\nplacement: {match-site-labels: ${expression}}\n`,
    })
    const taken = (where: string) => ({
      'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'blog' }] }),
      'applications/blog.yaml': `
name: blog
services:
  - name: blog
    containers: [{name: blog, image: "registry.example.com/blog:7"}]
    ingress: [{host: old.example, port: 80}]
`,
      ...deployed('blog', where),
    })
    const apart = 'system/type = control-tower'
    const history = { 1: routed('1', 'old.example'), 2: taken(apart), 3: taken('system/type = edge') }
    const { world, look } = commitHistory(history, config)
    await look('1')
    world.journal.holdVersion(held('1.0'))
    expect((await look('2')).blocked).to.deep.equal([])
    expect((await look('3')).blocked.map(({ problems }) => problems[0].message)).to.deep.equal([
      'web claims old.example/ in version 1.0, which blog claims, too',
    ])
  })

  it('D15 D19 P31 is left also to one whose static files lie where it had a route', async () => {
    const taken = {
      'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'blog' }] }),
      'applications/blog.yaml': `
name: blog
services:
  - name: blog
    pallet: {domain: old.example, environment: prod}
    containers: [{name: blog, image: "registry.example.com/blog:7"}]
`,
    }
    const { world, look } = commitHistory(
      { 1: routed('1', 'old.example, path: /static/a'), 2: taken },
      config,
    )
    await look('1')
    world.journal.holdVersion(held('1.0'))
    expect((await look('2')).blocked.map(({ problems }) => problems[0].message)).to.deep.equal([
      'web claims old.example/static/a in version 1.0, which blog claims, too',
    ])
  })
})

describe('an application whose deployment names a version', () => {
  const deployed = (version: string) => ({
    'deployments/web.yaml': `
name: web
application: web
application-version: "${version}"
placement: {all-sites: true}
`,
  })

  it('A12 is as it was in that version, and without a word, while the commit has another one', async () => {
    const { world, look } = commitHistory({
      1: web('1.0', '1', 'old'),
      2: { ...web('2.0', '2'), ...deployed('1.0') },
      3: { ...web('2.0', '2'), ...deployed('2.0') },
      4: { ...web('3.0', '3'), ...deployed('*') },
    })
    await look('1')
    const second = await look('2')
    expect(wants(second)).to.deep.equal(['web 1.0 of 1'])
    expect(second.warnings).to.deep.equal([])
    expect(wants(await look('3'))).to.deep.equal(['web 2.0'])
    expect(wants(await look('4'))).to.deep.equal(['web 3.0'])
    world.journal.holdVersion(held('3.0', { commit: hex('4', 40) }))
    expect(wants(await look('2')), 'a person goes before a deployment').to.deep.equal(['web 3.0 of 4'])
  })

  it('A10 waits for a version that no commit has brought yet, and continues when one does', async () => {
    const { look } = commitHistory({
      1: { ...web('1.0', '1'), ...deployed('2.0') },
      2: { ...web('2.0', '2'), ...deployed('2.0') },
    })
    const { applications, blocked } = await look('1')
    expect(applications).to.deep.equal([])
    expect(blocked).to.deep.equal([
      {
        application: 'web',
        problems: [
          {
            code: 'version-missing',
            message: 'web: there is no version 2.0; these are kept: 1.0',
          },
        ],
      },
    ])
    expect(wants(await look('2'))).to.deep.equal(['web 2.0'])
  })

  it('A6 keeps the version that it names, however many come after it', async () => {
    const later = ['2', '3', '4', '5', '6'].map(
      tag => [tag, { ...web(`${tag}.0`, tag), ...deployed('1.0') }] as const,
    )
    const { look, lookAll, kept } = commitHistory({ 1: web('1.0', '1'), ...Object.fromEntries(later) })
    await lookAll()
    expect(kept('web').map(one => one.split(' ')[0])).to.deep.equal(['6.0', '5.0', '4.0', '3.0', '1.0'])
    expect(wants(await look('6'))).to.deep.equal(['web 1.0 of 1'])
  })
})
