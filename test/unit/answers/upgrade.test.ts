import { expect } from 'chai'
import { abortDeployment } from '../../../lib/answers/deployment.ts'
import { deleteUpgrade, forceUpgrade, wouldForce } from '../../../lib/answers/upgrade.ts'
import type { QueuedVersion } from '../../../lib/reconcile/status/application/waiting/queue-view.ts'
import type { Deployment } from '../../../lib/state/fleet/deployment.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { refused } from '../../support/failures/refused.ts'
import {
  ann,
  keepVersions,
  memoryAudience,
  memorySubject,
  saidMs,
  stranger,
} from '../../support/memory/memory-audience.ts'

/** `web` on two sites: the versions of this queue wait on `local`, the last of them on `edge`. */
function audienceWith(...queue: readonly QueuedVersion[]) {
  const subject = memorySubject()
  const audience = memoryAudience(subject)
  keepVersions(audience, '1', '2', '3')
  for (const [site, own] of [
    ['local', queue],
    ['edge', queue.slice(-1)],
  ] as const)
    audience.journal.keepState('prod', site, { applications: [{ application: 'web', site, queue: own }] }, 1)
  const said = (site = 'local') =>
    audience.journal
      .queueWords('prod', site)
      .map(
        ({ application, version, entry, word, who }) =>
          `${word} ${application} ${version} #${entry} by ${who}`,
      )
  return { audience, subject, said }
}

const stones: readonly QueuedVersion[] = [
  { version: '2', state: 'next' },
  { version: '3', state: 'later' },
]

describe('what a person says about versions that wait', () => {
  it('A66 forces the wanted version wherever it waits, and asks for a pass', async () => {
    const { audience, subject, said } = audienceWith(...stones)
    expect(await forceUpgrade(audience, ann, { message: 'it leaks' })).to.deep.equal({
      forced: [
        { site: 'edge', application: 'web', version: '3' },
        { site: 'local', application: 'web', version: '3' },
      ],
    })
    expect([said(), said('edge')]).to.deep.equal([['forced web 3 #3 by ann'], ['forced web 3 #3 by ann']])
    expect(subject.asked).to.deep.equal(['request'])
    expect(audience.journal.answers({ limit: 1 })[0]).to.deep.equal({
      ...{ environment: 'prod', verb: 'force-upgrade', who: 'ann', via: 'control', atMs: saidMs },
      message: 'web 3 on edge, web 3 on local: it leaks',
    })
  })

  it('G13 D4 asks about what a yes forces, and about nothing else', async () => {
    const asked: readonly (readonly [readonly QueuedVersion[], Parameters<typeof forceUpgrade>[2]])[] = [
      [stones, {}],
      [stones, { application: 'web', version: '2' }],
      [stones, { application: 'web', site: ['local'] }],
      [[{ version: '2', state: 'skipped' }, ...stones.slice(1)], { application: 'web', version: '2' }],
      [[{ version: '2', state: 'deleted' }, ...stones.slice(1)], { application: 'web', version: '2' }],
      [[{ version: '2', state: 'out' }, ...stones.slice(1)], { application: 'web', version: '2' }],
      [stones, { application: 'web', version: '9' }],
      [[], {}],
    ]
    for (const [queue, given] of asked) {
      const { audience, subject, said } = audienceWith(...queue)
      const question = await wouldForce(audience, ann, given).catch((error: Error) => error.message)
      expect([said(), subject.asked, audience.journal.answers({ limit: 1 })]).to.deep.equal([[], [], []])
      const answer = await forceUpgrade(audience, ann, given).catch((error: Error) => error.message)
      if (typeof question === 'string' || typeof answer === 'string') expect(question).to.equal(answer)
      else {
        const { wouldForce: forced, environment, ...more } = question
        expect(environment).to.equal('prod')
        expect({ forced, ...more }).to.deep.equal(answer)
      }
    }
  })

  it('A66 forces a version on the way on one site', async () => {
    const { audience, said } = audienceWith(...stones)
    await forceUpgrade(audience, ann, { application: 'web', version: '2', site: ['local'] })
    expect([said(), said('edge')]).to.deep.equal([['forced web 2 #2 by ann'], []])
  })

  it('A66 says it of several sites in one word: each of them once, with one answer and one record', async () => {
    const { audience, subject, said } = audienceWith(...stones)
    const { journal } = audience
    const web = { application: 'web', site: 'far', queue: stones.slice(-1) }
    journal.keepState('prod', 'far', { applications: [web] }, 1)
    const site = ['edge', 'local', 'edge']
    expect(await forceUpgrade(audience, ann, { site })).to.deep.equal({
      forced: [
        { site: 'edge', application: 'web', version: '3' },
        { site: 'local', application: 'web', version: '3' },
      ],
    })
    expect(said('far')).to.deep.equal([])
    const { deleted } = await deleteUpgrade(audience, ann, { application: 'web', site })
    expect(deleted.map(one => one.site)).to.deep.equal(['edge', 'local'])
    expect(journal.answers({ limit: 9 }).map(({ verb, message }) => `${verb}: ${message}`)).to.deep.equal([
      'delete-upgrade: web 3 on edge, web 3 on local',
      'force-upgrade: web 3 on edge, web 3 on local',
    ])
    expect(subject.asked).to.deep.equal(['request', 'request'])
  })

  it('A66 G13 says of which of several sites that somebody names nothing waits', async () => {
    const { audience, said } = audienceWith(...stones)
    const site = ['local', 'edge']
    expect(await forceUpgrade(audience, ann, { application: 'web', version: '2', site })).to.deep.equal({
      forced: [{ site: 'local', application: 'web', version: '2' }],
      left: [{ site: 'edge', reason: 'that version does not wait there' }],
    })
    expect(said('edge')).to.deep.equal([])
  })

  it('A66 G13 says nothing at all if one of several sites is unknown', async () => {
    const { audience, subject, said } = audienceWith(...stones)
    expect(await refused(forceUpgrade(audience, ann, { site: ['local', 'egde'] }))).to.equal(
      'wrong-usage: there is no site "egde"; did you mean "edge"?',
    )
    expect([said(), said('edge'), subject.asked]).to.deep.equal([[], [], []])
  })

  it('A66 G13 says of a site whose file cannot be used why, and not that there is none', async () => {
    const { audience, said } = audienceWith(...stones)
    expect(await refused(forceUpgrade(audience, ann, { site: ['local', 'west'] }))).to.equal(
      'wrong-usage: the file of the site "west" cannot be used: sites/west.yaml:3:1: /labels is no mapping',
    )
    expect(said()).to.deep.equal([])
  })

  it('A66 deletes the wanted version, or the one that is named, and takes the place of what was said before', async () => {
    const { audience, said } = audienceWith(...stones)
    await forceUpgrade(audience, ann, { application: 'web' })
    await deleteUpgrade(audience, ann, { application: 'web', site: ['local'] })
    expect([said(), said('edge')]).to.deep.equal([['deleted web 3 #3 by ann'], ['forced web 3 #3 by ann']])
    await deleteUpgrade(audience, ann, { application: 'web', version: '2' })
    expect(said()).to.deep.equal(['deleted web 2 #2 by ann', 'deleted web 3 #3 by ann'])
  })

  it('A66 G13 says of a version that is deleted on the way which newer one is wanted there already', async () => {
    const { audience, said } = audienceWith(...stones)
    expect(await deleteUpgrade(audience, ann, { application: 'web', version: '2' })).to.deep.equal({
      deleted: [{ site: 'local', application: 'web', version: '2', wanted: '3' }],
    })
    expect(await deleteUpgrade(audience, ann, { application: 'web', site: ['local'] })).to.deep.equal({
      deleted: [{ site: 'local', application: 'web', version: '3' }],
    })
    expect(said()).to.deep.equal(['deleted web 2 #2 by ann', 'deleted web 3 #3 by ann'])
  })

  it('A66 G13 says nothing of what does not wait, and refuses a version that does not', async () => {
    const { audience, subject, said } = audienceWith()
    expect(await forceUpgrade(audience, ann, {})).to.deep.equal({ forced: [] })
    expect(await deleteUpgrade(audience, ann, { application: 'web' })).to.deep.equal({ deleted: [] })
    expect(await refused(forceUpgrade(audience, ann, { application: 'web', version: '9' }))).to.equal(
      'wrong-usage: version 9 of web does not wait; none does',
    )
    expect([said(), subject.asked]).to.deep.equal([[], []])
  })

  describe('about a version that no upgrade path leads to', () => {
    /** On `edge` runs 1, from which none leads to 3; on `local` runs 2. */
    function audienceFar() {
      const { audience, said } = audienceWith()
      keepVersions(audience, '1', '2')
      const seen = (site: string, version: string, code?: string) => {
        const own = {
          ...{ application: 'web', site, version, running: 1 },
          queue: [{ version: '3', state: 'next' }],
        }
        const reason = 'no entry of "upgrade-from" leads from 1 to 3'
        audience.journal.keepState('prod', site, { applications: [{ ...own, reason, code }] }, 1)
      }
      seen('edge', '1', 'no-upgrade-path')
      seen('local', '2')
      return { audience, said }
    }

    it('A66 A42 is not promised there: the answer says why, and forces it where a path leads', async () => {
      const { audience, said } = audienceFar()
      expect(await forceUpgrade(audience, ann, { application: 'web' })).to.deep.equal({
        forced: [{ site: 'local', application: 'web', version: '3' }],
        left: [
          {
            site: 'edge',
            reason: 'web 3 would not be installed: no entry of "upgrade-from" leads from 1 to 3',
          },
        ],
      })
      expect([said('edge'), said('local').length]).to.deep.equal([[], 1])
    })

    it('A66 A42 says of a deletion where nobody can take it back', async () => {
      const { audience } = audienceFar()
      expect(await deleteUpgrade(audience, ann, { application: 'web' })).to.deep.equal({
        deleted: [
          { site: 'edge', application: 'web', version: '3', hasNoPath: true },
          { site: 'local', application: 'web', version: '3' },
        ],
      })
    })

    it('A66 A42 is refused where no path leads from any site', async () => {
      const { audience, said } = audienceFar()
      expect(await refused(forceUpgrade(audience, ann, { application: 'web', site: ['edge'] }))).to.equal(
        'no-upgrade-path: edge: web 3 would not be installed: no entry of "upgrade-from" leads from 1 to 3',
      )
      expect(said('edge')).to.deep.equal([])
    })
  })

  it('A66 forces no version that is never installed there', async () => {
    const { audience } = audienceWith({ version: '2', state: 'out' }, { version: '3', state: 'next' })
    expect(await refused(forceUpgrade(audience, ann, { application: 'web', version: '2' }))).to.equal(
      'wrong-usage: version 2 of web does not wait; these do: 3',
    )
  })

  it('A66 deletes no version twice, and does not offer to', async () => {
    const { audience } = audienceWith({ version: '2', state: 'deleted' }, { version: '3', state: 'next' })
    expect(await refused(deleteUpgrade(audience, ann, { application: 'web', version: '2' }))).to.match(
      /^wrong-usage: version 2 of web was deleted already on \w+$/,
    )
  })

  it('A66 needs an application for a version, and for a deletion', async () => {
    const { audience } = audienceWith(...stones)
    expect(await refused(deleteUpgrade(audience, ann, {}))).to.equal(
      'wrong-usage: delete-upgrade needs the name of an application',
    )
    expect(await refused(forceUpgrade(audience, ann, { version: '3' }))).to.equal(
      'wrong-usage: force-upgrade needs the name of an application',
    )
  })

  it('A66 refuses who may not say it', async () => {
    const { audience } = audienceWith(...stones)
    expect(await refused(forceUpgrade(audience, stranger, {}))).to.equal(
      'control-forbidden: eve may not force-upgrade',
    )
  })

  describe('about an upgrade that has begun', () => {
    const begin = (audience: ReturnType<typeof audienceWith>['audience'], site: string, version: string) =>
      audience.journal.beginAttempt({
        ...{ environment: 'prod', site, application: 'web', service: 'web', target: '1×a', release: 'a' },
        ...{ of: { version, commit: version.repeat(40) }, atMs: 1 },
      })

    it('A66 A62 deletes it on no site where it has begun, and says where not', async () => {
      const { audience, said } = audienceWith(...stones)
      begin(audience, 'local', '3')
      expect(await deleteUpgrade(audience, ann, { application: 'web' })).to.deep.equal({
        deleted: [{ site: 'edge', application: 'web', version: '3' }],
        left: [{ site: 'local', reason: 'the upgrade to 3 has begun there, and runs to its end' }],
      })
      expect([said(), said('edge')]).to.deep.equal([[], ['deleted web 3 #3 by ann']])
    })

    it('A66 A62 refuses to delete it if it has begun on all of them, also if no pass has seen it wait', async () => {
      for (const queue of [stones, []]) {
        const { audience, subject, said } = audienceWith(...queue)
        for (const site of ['local', 'edge']) begin(audience, site, '3')
        for (const version of [undefined, '3'])
          expect(
            await refused(
              deleteUpgrade(audience, ann, { application: 'web', ...(version ? { version } : {}) }),
            ),
          ).to.equal('wrong-usage: the upgrade of web to 3 has begun on edge, local, and runs to its end')
        expect([said(), said('edge'), subject.asked]).to.deep.equal([[], [], []])
      }
    })

    it('A66 G13 says how to go back all the same, and offers no version before it where none is kept', async () => {
      const hintAfter = async (...versions: readonly string[]) => {
        const audience = memoryAudience(memorySubject())
        keepVersions(audience, ...versions)
        for (const site of ['local', 'edge']) {
          const applications = [
            { application: 'web', site, queue: [{ version: '3', state: 'next' as const }] },
          ]
          audience.journal.keepState('prod', site, { applications }, 1)
          begin(audience, site, '3')
        }
        return (await failureOf(deleteUpgrade(audience, ann, { application: 'web' }))).hint
      }
      expect(await hintAfter('3')).to.equal('To go back all the same, commit a revert.')
      expect(await hintAfter('2', '3')).to.equal(
        'To go back all the same, commit a revert, or run "tallyman rollback web --now".',
      )
    })

    it('A66 deletes what comes after it', async () => {
      const { audience, said } = audienceWith(...stones)
      begin(audience, 'local', '2')
      await deleteUpgrade(audience, ann, { application: 'web', version: '3', site: ['local'] })
      expect(said()).to.deep.equal(['deleted web 3 #3 by ann'])
    })
  })

  it('A66 A33 G13 forces what waits of one application, and names the other that failed in its deployment', async () => {
    const { audience, said } = audienceWith(...stones)
    const { journal } = audience
    const blog = { application: 'blog', site: 'edge', queue: [{ version: '7', state: 'next' as const }] }
    const web = { application: 'web', site: 'edge', queue: stones.slice(-1) }
    journal.keepState('prod', 'edge', { applications: [blog, web] }, 1)
    const { id } = journal.beginRun({
      ...{ environment: 'prod', deployment: 'blog', application: 'blog', version: '7' },
      ...{ content: '', seed: 1, atMs: 0 },
    })
    journal.addFact(id, { kind: 'failed', atMs: 1, site: 'lab', reason: 'it crashed' })
    const deployment: Deployment = {
      ...{ name: 'blog', application: 'blog', placement: { kind: 'all-sites' }, healthyMs: 0, revision: 'r' },
    }
    journal.setPlacement('prod', { deployment, sites: ['lab', 'edge'], canaries: [] })
    const reason = 'blog 7 failed on lab, so its deployment brings it to no other site'
    expect(await forceUpgrade(audience, ann, { site: ['edge'] })).to.deep.equal({
      forced: [{ site: 'edge', application: 'web', version: '3' }],
      left: [{ site: 'edge', reason }],
    })
    expect(said('edge')).to.deep.equal(['forced web 3 #3 by ann'])
    journal.holdVersion({
      ...{ environment: 'prod', application: 'blog', version: '7', commit: 'c', reason: '', who: 'ann' },
      atMs: 2,
    })
    const { forced } = await forceUpgrade(audience, ann, { site: ['edge'] })
    expect(
      forced.map(({ application }) => application),
      'somebody holds blog at 7',
    ).to.deep.equal(['blog', 'web'])
    journal.endHeldVersion('prod', 'blog')
    journal.forgetPlacement('prod', 'blog')
    const later = await forceUpgrade(audience, ann, { site: ['edge'] })
    expect(later.forced.length, 'it has no deployment any more').to.equal(2)
  })

  it('A66 forces a version no longer whose deployment is aborted', async () => {
    const { audience, said } = audienceWith(...stones)
    const { journal } = audience
    const own = { environment: 'prod', deployment: 'web', application: 'web', version: '3' }
    journal.beginRun({ ...own, content: '', seed: 1, atMs: 0 })
    journal.setPlacement('prod', {
      deployment: {
        name: 'web',
        application: 'web',
        revision: '',
        placement: { kind: 'all-sites' },
        healthyMs: 0,
      },
      ...{ sites: ['local', 'edge'], canaries: [] },
    })
    await forceUpgrade(audience, ann, { application: 'web', version: '2' })
    await forceUpgrade(audience, ann, { application: 'web' })
    await abortDeployment(audience, ann, { deployment: 'web' })
    expect([said(), said('edge')]).to.deep.equal([['forced web 2 #2 by ann'], []])
  })
})
