import { appOf, planOf, type Scene, withDaemon } from './daemon.ts'
import { followedIn } from './followed.ts'

/** A commit that waits for a person's word. */
function waits(scene: Scene, tag = '2'): void {
  const files = appOf({ tag })
  const manifest = '{"services": [{"name": "web"}]}'
  scene.commit({ ...files, 'environments/prod/manifest.json': manifest })
}

const two = { ...appOf({}), 'environments/test/manifest.json': '{"services": [], "skipConfirmation": true}' }

function approve(scene: Scene, id = planOf(scene)): Promise<unknown> {
  return scene.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann' })
}

/** What the daemon answers to commands. */
export const inWords = followedIn(withDaemon, [
  {
    code: 'plan-changed',
    wrong: async scene => {
      waits(scene)
      await scene.pass()
      const id = planOf(scene)
      waits(scene, '3')
      await scene.pass()
      await approve(scene, id)
    },
    follow: { 'Look at the plan again, and use its new id': scene => approve(scene) },
  },
  {
    code: 'plan-answered',
    wrong: async scene => {
      waits(scene)
      await scene.pass()
      await scene.ask(`POST /api/v1/plans/${planOf(scene)}/discard`, { who: 'bob' })
      await approve(scene)
    },
    follow: {
      'Another commit asks again': async scene => {
        waits(scene, '3')
        await scene.pass()
        await approve(scene)
      },
      'so does a retry of its application': async scene => {
        await scene.ask('POST /api/v1/retry', { application: 'web' })
        await scene.pass()
        await approve(scene)
      },
    },
    says: ['Nothing to do, if you agree with that answer'],
  },
  {
    code: 'wrong-usage',
    hint: 'There are: prod, test.',
    wrong: async scene => {
      scene.commit(two)
      await scene.configure({ environments: ['prod', 'test'] })
      await scene.pass()
      await scene.ask('POST /api/v1/retry')
    },
    follow: { 'There are: prod, test': scene => scene.ask('POST /api/v1/retry', { environment: 'test' }) },
  },
  {
    code: 'wrong-usage',
    hint: 'There are: web.',
    wrong: scene => scene.ask('POST /api/v1/retry', { application: 'wbe' }),
    follow: { 'There are: web': scene => scene.ask('POST /api/v1/retry', { application: 'web' }) },
  },
  {
    code: 'wrong-usage',
    hint: 'No application is known, so there is none to name.',
    wrong: scene => scene.ask('POST /api/v1/retry', { application: 'wbe' }),
    follow: {},
    says: ['No application is known, so there is none to name'],
  },
  {
    code: 'wrong-usage',
    hint: 'Name prod, or no environment.',
    wrong: async scene => {
      scene.commit({
        ...two,
        'environments/prod/manifest.json':
          '{"services": [{"name": "web"}, {"name": "api", "containers": [{"dockerTag": "1"}]}]}',
      })
      await scene.configure({ environments: ['prod', 'test'] })
      await scene.pass()
      await scene.ask(`POST /api/v1/plans/${planOf(scene)}/approve`, { environment: 'test' })
    },
    follow: {
      'Name prod': scene => scene.ask(`POST /api/v1/plans/${planOf(scene)}/approve`, { environment: 'prod' }),
      'no environment': scene => approve(scene),
    },
  },
  {
    code: 'environment-unread',
    wrong: async scene => {
      scene.commit({ 'environments/prod/manifest.json': '{', 'environments/test/manifest.json': '{}' })
      await scene.forget()
      await scene.ask('POST /api/v1/suspend', { reason: 'stocktaking' })
    },
    follow: {
      'Correct the error in the message': async scene => {
        scene.commit(appOf({}))
        await scene.ask('POST /api/v1/suspend', { reason: 'stocktaking' })
      },
      'name the environment in the configuration': async scene => {
        scene.commit(two)
        await scene.configure({ environments: ['prod'] })
        await scene.ask('POST /api/v1/suspend', { reason: 'stocktaking' })
      },
    },
  },
  {
    code: 'another-writer',
    wrong: scene => {
      scene.isRival = true
      return scene.configure({})
    },
    follow: {
      'stop it': scene => {
        scene.isRival = false
      },
    },
    says: ['Use "tallyman status", "tallyman approve" and every other command with the one that runs'],
  },
  {
    code: 'environment-name-taken',
    wrong: elsewhere,
    follow: {
      'If the repository has moved, give it its former name, which is in the message: "repository: {name: …}" in the configuration':
        scene => scene.configure({ repository: { url: '.', name: 'team/shop' } }),
    },
    says: ['Nothing to do, if these are two different environments'],
  },
  {
    code: 'config-invalid',
    hint: 'Name the environment once.',
    wrong: scene => scene.configure({ environments: ['environments/prod', 'prod'] }),
    follow: { 'Name the environment once': scene => scene.configure({ environments: ['prod'] }) },
  },
  {
    code: 'config-invalid',
    hint: 'Add its name or its directory to the "environments" of a site.',
    wrong: scene => scene.configure({ sites: [{ name: 'local', environments: ['test'] }] }),
    follow: {
      'Add its name': scene => scene.configure({ sites: [{ name: 'local', environments: ['prod'] }] }),
      'its directory to the "environments" of a site': scene =>
        scene.configure({ sites: [{ name: 'local', environments: ['environments/prod'] }] }),
    },
  },
  {
    code: 'environment-not-found',
    hint: 'Correct the "environments" of the site local in the configuration.',
    wrong: scene => scene.configure({ sites: [{ name: 'local', environments: ['prod', 'tset'] }] }),
    follow: {
      'Correct the "environments" of the site local in the configuration': scene =>
        scene.configure({ sites: [{ name: 'local', environments: ['prod'] }] }),
    },
  },
])

/** The engine runs an environment of the name for another repository. */
async function elsewhere(scene: Scene): Promise<void> {
  scene.answers = {
    holders: async () => [{ environment: 'prod', source: 'team/shop', directory: 'environments/prod' }],
  }
  await scene.forget()
}
