import { expect } from 'chai'
import { stringify } from 'yaml'
import { commit } from '../scenes/blog.ts'
import { documentOf, expectCode } from '../scenes/plan-document.ts'
import { createScene, type Scene, service } from '../scenes/scene.ts'
import { engineCall } from '../support/engine-call.ts'
import { type TestMachine, testMachine } from '../support/env.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { beginSwarmOf } from '../support/swarm-nodes.ts'
import { runningFromAny } from '../support/tasks-on.ts'
import { writtenOn } from '../support/volume-file.ts'
import { waitUntil } from '../support/wait-until.ts'

/** A Pallet application that writes down when it is run, and as what. Its deploy fails in the version `bad`. */
const phases = `#!/bin/sh
echo "$(cut -d' ' -f1 /proc/uptime) $1 $TAG" >> /storage/phases
case $1 in
  deploy) [ "$TAG" != bad ] ;;
  serve) trap 'exit 0' TERM; sleep 1000000 & wait $! ;;
esac
`

const endsOnTerm = ['sh', '-c', 'trap "exit 0" TERM; sleep 1000000 & wait $!']

/** The engine that is asked with the registry that all reach, and the sockets of those that run something. */
type Place = AsyncDisposable & { readonly machine: TestMachine; readonly engines: readonly string[] }

/** A kind of site, and how somebody takes away there what runs, so that only Tallyman brings it back. */
type Kind = {
  readonly open: () => Promise<Place>
  readonly site: (endpoint: string) => object
  readonly takeAway: (socket: string, environment: string, containers: readonly string[]) => Promise<void>
}

const removed = async (socket: string, path: string) => {
  const { status } = await engineCall(socket, 'DELETE', path)
  expect(status, path).to.be.oneOf([200, 204])
}

const kinds: Readonly<Record<string, Kind>> = {
  'a host': {
    async open() {
      const machine = await testMachine()
      return { machine, engines: [machine.dockerSocket], [Symbol.asyncDispose]: async () => undefined }
    },
    site: endpoint => ({ name: 'here', endpoint }),
    takeAway: async (socket, _, containers) => {
      for (const id of containers) await removed(socket, `/containers/${id}?force=1`)
    },
  },
  'a Swarm of three nodes': {
    open: () => beginSwarmOf(3),
    site: endpoint => ({
      ...{ name: 'here', endpoint, kind: 'swarm' },
      ...{ endpointMode: 'dnsrr', publishMode: 'host' },
    }),
    takeAway: (socket, environment) => removed(socket, `/services/${environment}_shop_web`),
  },
}

for (const [name, kind] of Object.entries(kinds))
  describe(`the same application on ${name}`, function () {
    this.timeout(300_000)

    const it = sideBySide()
    let place: Place
    before(async () => {
      place = await kind.open()
    })
    after(() => place[Symbol.asyncDispose]())

    const sceneOf = async (): Promise<Scene> => {
      const scene = await createScene({
        machine: place.machine,
        config: { sites: [kind.site(`unix://${place.machine.dockerSocket}`)] },
      })
      for (const tag of ['1', '2']) await scene.push('web', tag, { env: { V: tag }, cmd: endsOnTerm })
      return scene
    }

    /** Commits `shop` in this version, with two instances of its only service, and maybe a hook. */
    const release = (scene: Scene, tag: string, pre?: string) => {
      const hook = pre && {
        failurePolicy: 'Abort',
        execNewPod: { containerName: 'web', command: ['sh', '-c', pre] },
      }
      const web = {
        ...{ name: 'web', replicas: 2 },
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { timeoutSeconds: 60, ...(hook && { pre: hook }) },
        },
        containers: [{ name: 'web', image: `${scene.prefix}/web:${tag}` }],
      }
      const shop = stringify({ name: 'shop', version: tag, services: [web] })
      return scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
        'applications/shop.yaml': shop,
      })
    }

    /** Waits until this runs there, by the versions in variables: what was replaced may still be ending. */
    const runs = ({ prefix }: Scene, ...versions: readonly string[]) =>
      waitUntil(`${versions.join(' and ') || 'nothing'} runs`, async () => {
        const all = await runningFromAny(place.engines, prefix)
        const found = all.flatMap(({ env }) => env.filter(one => one.startsWith('V=')))
        return found.sort().join() === versions.map(version => `V=${version}`).join()
      })
    const isInSync = async ({ tallyman }: Scene) =>
      expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)

    it('E21 G2 D3 E15 is deployed, updated, rolled back by a revert, and removed once somebody has confirmed', async () => {
      await using scene = await sceneOf()
      const { tallyman } = scene
      for (const tag of ['1', '2', '1']) {
        await release(scene, tag)
        const planned = documentOf(await tallyman.run('plan', '--output', 'json'))
        expect(planned.changes.map(({ service, site }) => `${site} ${service}`)).to.deep.equal(['here web'])
        expectCode(await tallyman.run('apply'), 0)
        await runs(scene, tag, tag)
        await isInSync(scene)
      }
      await scene.push('other', '1')
      await scene.commit({ services: [service('other', '1')] })
      const asked = documentOf(await tallyman.run('apply', '--output', 'json'))
      expect(asked.outcome).to.equal('needs-confirmation')
      expect(asked.changes.map(({ action, service }) => `${action} ${service}`)).to.include.members([
        ...['remove web', 'create other'],
      ])
      await runs(scene, '1', '1')
      expectCode(await tallyman.run('apply', '--yes'), 0)
      await runs(scene)
      await isInSync(scene)
    })

    it('D2 D18 G5 is repaired, serves on through a release that crashes, and gets that one only once corrected', async () => {
      await using scene = await sceneOf()
      const { tallyman } = scene
      await scene.push('web', '3', { env: { V: '3' }, cmd: ['sh', '-c', 'echo boom; exit 3'] })
      await release(scene, '1')
      expectCode(await tallyman.run('apply'), 0)
      const before = (await runningFromAny(place.engines, scene.prefix)).map(({ id }) => id)
      await kind.takeAway(place.machine.dockerSocket, scene.environment, before)
      expectCode(await tallyman.run('plan', '--detailed-exitcode'), 2)
      expectCode(await tallyman.run('apply'), 0)
      await runs(scene, '1', '1')

      await release(scene, '3')
      const failed = await tallyman.run('apply', '--output', 'json')
      expectCode(failed, 1)
      expect(documentOf(failed)).to.include({ outcome: 'rolled-back' })
      await runs(scene, '1', '1')
      const again = await tallyman.run('apply')
      expectCode(again, 1)
      expect(again.stdout + again.stderr).to.include('(quarantined)')
      await release(scene, '2')
      expectCode(await tallyman.run('apply'), 0)
      await runs(scene, '2', '2')
      await isInSync(scene)
    })

    it('P4 P6 D10 is deployed before it serves if it is a Pallet application, and serves on where a deploy fails', async () => {
      await using scene = await sceneOf()
      const { tallyman } = scene
      const files = { '/run-phase': phases }
      for (const TAG of ['1', '2', 'bad'])
        await scene.push('blog', TAG, { files, entrypoint: ['/run-phase'], cmd: ['serve'], env: { TAG } })
      /** Each node of a Swarm has a volume of its own, and all have one clock. */
      const told = async () => {
        const lines = await writtenOn(place.engines, `${scene.environment}.blog.storage`, 'phases')
        return lines.toSorted((a, b) => parseFloat(a) - parseFloat(b)).map(line => line.replace(/^\S+ /, ''))
      }
      const served = (tag: string) => [`deploy ${tag}`, `serve ${tag}`, `serve ${tag}`]
      await commit(scene, '1')
      expectCode(await tallyman.run('apply'), 0)
      expect(await told()).to.deep.equal(served('1'))
      await commit(scene, 'bad')
      const failed = await tallyman.run('apply', '--output', 'json')
      expectCode(failed, 1)
      expect(documentOf(failed)).to.include({ outcome: 'rolled-back' })
      expect(documentOf(failed).error).to.include({ code: 'job-failed' })
      expect(await told(), 'the old one serves on').to.deep.equal([...served('1'), 'deploy bad'])
      await commit(scene, '2')
      expectCode(await tallyman.run('apply'), 0)
      expect(await told()).to.deep.equal([...served('1'), 'deploy bad', ...served('2')])
      await isInSync(scene)
    })

    it('H4 H10 is left as it is where a pre hook fails, and goes on with one that is corrected', async () => {
      await using scene = await sceneOf()
      const { tallyman } = scene
      await release(scene, '1', 'true')
      expectCode(await tallyman.run('apply'), 0)
      const before = await runningFromAny(place.engines, scene.prefix)
      await release(scene, '2', 'echo no room; exit 3')
      const failed = await tallyman.run('apply', '--output', 'json')
      expectCode(failed, 1)
      expect(documentOf(failed).error).to.include({ code: 'job-failed' })
      expect(failed.stdout).to.include('failed with exit code 3: no room')
      expect(await runningFromAny(place.engines, scene.prefix)).to.deep.equal(before)
      await release(scene, '2', 'test "$V" = 2')
      expectCode(await tallyman.run('apply'), 0)
      await runs(scene, '2', '2')
      await isInSync(scene)
    })
  })
