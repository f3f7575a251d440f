import { appendFile, writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { repaired } from '../../scenes/happenings/await-repair.ts'
import { expectCode, has } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import { startSshServer } from '../../support/network/ssh-server.ts'

describe('a repository over SSH', () => {
  it('G4 G13 G24 is followed only while its host shows a key that the operator made known; meanwhile what runs is kept', async () => {
    await using server = await startSshServer()
    const { keyFile: sshKeyFile, knownHostsFile } = server
    await using scene = await createScene({
      config: (_, { bare }) => ({
        repository: { url: server.urlOf(bare), auth: { sshKeyFile, knownHostsFile } },
      }),
    })
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    const first = await scene.commit({ services: [service('web', '1')], skipConfirmation: true })

    await writeFile(knownHostsFile, '')
    const planned = await scene.tallyman.run('plan')
    expectCode(planned, 1)
    expect(planned.stderr).to.match(/^Error: .*\(git-host-unknown\)\n {2}hint: /m)
    const [, toAdd = ''] = /The line to add: (.*?) \(git-host-unknown\)/.exec(planned.stderr) ?? []
    await appendFile(knownHostsFile, `${toAdd}\n`)
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)

    const line = await server.replaceHostKey()
    const second = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    const { revision } = await daemon.until('it says so', has('git-host-changed'))
    expect(revision?.commit).to.equal(first)
    const { stdout } = await scene.tallyman.run('status')
    expect(stdout).to.match(
      /127\.0\.0\.1 shows another [A-Z0-9]+ key than the one in .*\(git-host-changed\)\n +hint: /,
    )
    expect((await repaired(scene)).labels).to.include({
      'tallyman.commit': first,
      'tallyman.image': `${scene.prefix}/web:1`,
    })

    await writeFile(knownHostsFile, `${line}\n`)
    await daemon.until('it goes on', seen => seen.revision?.commit === second && seen.sync === 'Synced')
    const [web] = await scene.containers()
    expect(web?.labels).to.include({ 'tallyman.image': `${scene.prefix}/web:2` })
  })
})
