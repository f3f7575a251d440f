import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createTallyman, launcher } from '../../support/command/tallyman.ts'
import { git } from '../../support/git/git.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'

/** A checkout of manifests in which a service wants privileges and a configuration allows them. */
async function checkout() {
  const place = await realpath(await mkdtemp(join(tmpdir(), 'tallyman-checkout-')))
  const directory = join(place, 'manifests')
  const put = async (path: string, text: string) => {
    await mkdir(join(directory, path, '..'), { recursive: true })
    await writeFile(join(directory, path), text)
  }
  await put('environments/prod/manifest.json', '{"services": [{"name": "shop"}]}')
  await put(
    'applications/shop.yaml',
    'name: shop\nservices: [{name: web, containers: [{name: web, image: "web:1", privileged: true}]}]\n',
  )
  await put('tallyman.yaml', 'policy: {privileged: true}\nstateDir: /hostile\nrepository: {url: .}\n')
  await git(directory, ['init', '--quiet'])
  return {
    file: join(directory, 'tallyman.yaml'),
    passedOver: `${directory}/tallyman.yaml is not used, because ${directory} is a git repository; to use it, name it with --config`,
    /** Exit code and both streams of a command that is run in it. */
    run: (...args: readonly string[]) =>
      new Promise<readonly [code: number, stdout: string, stderr: string]>(done => {
        const options = { cwd: directory, env: { PATH: process.env['PATH'], HOME: place } }
        const child = execFile(launcher(), args, options, (_, stdout, stderr) =>
          done([child.exitCode ?? -1, stdout, stderr]),
        )
      }),
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }),
  }
}

describe('tallyman in a checkout of manifests', () => {
  const it = sideBySide()

  it('G23 takes its rights from the operator alone, and says which file it takes', async () => {
    await using there = await checkout()
    const [code, stdout, stderr] = await there.run('validate', '.')
    expect(code).to.equal(1)
    expect(stdout).to.match(/privileged.*policy-violation/)
    expect(stderr.split('\n')).to.deep.equal([
      `Configuration: no file, only defaults; ${there.passedOver}`,
      '  hint: Leave it out, or have the operator allow it under "policy" in tallyman.yaml.',
      '',
    ])
    expect(await there.run('validate', '.', '--config', 'tallyman.yaml')).to.deep.equal([
      0,
      '',
      `Configuration: ${there.file}\nEverything is valid.\n`,
    ])
  })

  it('G23 names the file that it did not take where something is missing in its place', async () => {
    await using there = await checkout()
    const [code, stdout, stderr] = await there.run('plan')
    expect([code, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.include('no repository is configured').and.include(there.passedOver)
    const [, , status] = await there.run('status')
    expect(status).to.include('daemon-unreachable').and.not.include('/hostile')
  })

  it('G23 says with which file it works: a daemon at its start and in its status, a plan before anything else', async () => {
    await using tallyman = await createTallyman({ repository: { url: 'manifests' } }, '/nowhere.sock')
    const directory = await realpath(tallyman.directory)
    const file = join(directory, 'tallyman.yaml')
    await mkdir(join(directory, 'manifests/environments/prod'), { recursive: true })
    await writeFile(join(directory, 'manifests/environments/prod/manifest.json'), '{"services": []}')
    const daemon = await tallyman.daemon()
    expect(daemon.said().stderr).to.include(`"configuration":"${file}"`)
    const status = await tallyman.run('status')
    expect(status.stderr).to.equal(`Configuration: ${file}\n`)
    const { stdout } = await tallyman.run('status', '--output', 'json')
    expect(JSON.parse(stdout)[0]).to.deep.include({ configuration: { file } })
    expect((await tallyman.run('plan')).stderr.split('\n')[0]).to.equal(`Configuration: ${file}`)
    const plan = await tallyman.run('plan', '--output', 'json')
    expect(JSON.parse(plan.stdout)).to.deep.include({ configuration: { file } })
    expect(plan.stderr).to.not.include('Configuration')
  })
})
