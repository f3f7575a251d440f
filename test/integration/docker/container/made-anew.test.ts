import { expect } from 'chai'
import { startCountingEngine } from '../../../support/engine/counting-engine.ts'
import { forEachEngine, type TestedEngine } from '../../../support/engine/for-each-engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { type TestSite, testSite } from '../site.ts'

/** What engines of several ages answer to every start of a container over whose start they were killed. */
const stuck = [
  'failed to create task for container: task 0f3a9c: already exists: unknown',
  'task 0f3a9c already exists: unknown',
  'id already in use',
  'failed to start shim: mkdir /run/containerd/io.containerd.runtime.v2.task/moby/0f3a9c: file exists: unknown',
  'failed to create shim task: OCI runtime create failed: runc create failed: container with given ID already exists: unknown',
]

/** A site whose engine refuses the first start of each container, in these words. */
async function brokenSite(tested: () => Promise<TestedEngine>, message: string) {
  const { socket } = await tested()
  const refused = new Set<string>()
  const proxy = await startCountingEngine(socket, call => {
    if (!/^POST .*\/start$/.test(call) || refused.has(call)) return undefined
    refused.add(call)
    return { status: 409, message }
  })
  const site = await testSite(tested, { name: 'proxied', endpoint: `unix://${proxy.socket}` })
  return {
    ...site,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

async function facts(site: TestSite, container: string) {
  const { Id, State, Config, HostConfig, NetworkSettings } = await site.ask(`/containers/${container}/json`)
  const networks: Record<string, { readonly Aliases: readonly string[] | null }> =
    Object(NetworkSettings).Networks
  const aliases = Object.entries(networks).map(([name, { Aliases }]) => [
    name,
    (Aliases ?? []).filter(alias => !String(Id).startsWith(alias)),
  ])
  const { Hostname: _, ...config } = Object(Config)
  return { id: String(Id), isUp: Object(State).Running, config, host: Object(HostConfig), aliases }
}

forEachEngine('a container that an engine was killed over', (engine, decisions) => {
  const it = sideBySide()
  const itDecides = decisions(it)

  for (const [number, message] of stuck.entries()) {
    const itIsMadeAnew = number === 0 ? it : itDecides
    itIsMadeAnew(`G5 is made anew as it was, and started: ${message.slice(0, 45)}`, async () => {
      await using site = await brokenSite(engine, message)
      const further = `${site.network}-2`
      await site.run({ do: 'create-network', network: { name: further } })
      const files = [
        { path: '/etc/app/key', content: 'told\n', mode: 0o444 },
        { path: '/etc/app/own', content: '', mode: 0o400, uid: 7, gid: 1_000_640_000 },
      ]
      const cmd = [
        'sh',
        '-c',
        'cat /etc/app/key; stat -c "%a %u:%g" /etc/app/own; trap "exit 0" TERM; sleep 9999 & wait',
      ]
      const { container } = await site.create(
        await site.push({ cmd }),
        { files, memoryBytes: 64 << 20, env: { A: 'b' } },
        { attachments: [{ name: further }] },
      )
      const before = await facts(site, container)
      await site.run({ do: 'start-container', container })
      const after = await facts(site, container)
      expect(after.id).to.not.equal(before.id)
      expect({ ...after, id: '' }).to.deep.equal({ ...before, id: '', isUp: true })
      await waitUntil(
        'it has its file',
        async () => (await site.log(container)) === 'told\n400 7:1000640000\n',
      )
    })
  }

  it('C50 takes those with it that live in it, where it is a sandbox', async () => {
    await using site = await brokenSite(engine, stuck[0] ?? '')
    const image = await site.push()
    const { container: sandbox } = await site.create(image, { name: 'sandbox' }, { role: 'sandbox' })
    const joins = { joins: { sandbox, processes: true }, aliases: [], suffix: '.app' }
    const files = [{ path: '/key', content: 'told', mode: 0o400 }]
    const { container } = await site.create(image, { files }, joins)
    await site.run({ do: 'start-container', container: sandbox }, { do: 'start-container', container })
    const { id } = await facts(site, sandbox)
    const { isUp, host } = await facts(site, container)
    expect([isUp, host.NetworkMode, host.PidMode]).to.deep.equal([true, `container:${id}`, `container:${id}`])
    expect((await site.archive(container, '/key')).body.toString()).to.include('told')
  })

  it('H22 is no failure of a hook, and the hook runs once', async () => {
    await using site = await brokenSite(engine, stuck[1] ?? '')
    const { container } = await site.create(await site.push({ cmd: ['echo', 'ran'] }), {}, { role: 'hook' })
    await site.run({ do: 'run-to-end', container, onFailure: 'abort' })
    expect(site.notes).to.deep.equal([
      'made anew: the engine was killed while it started it, and lost it',
      'output: ran',
    ])
  })
})
