import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene } from '../../scenes/scene.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('secrets in what containers say', () => {
  it('G16 H22 hides the lines of a file, the password of an address, and does so after kill -9', async () => {
    await using scene = await createScene({ config: { secrets: { directory: 'secrets' } } })
    const { tallyman } = scene
    await scene.push('app', '1')
    await mkdir(join(tallyman.directory, 'secrets'))
    const put = (name: string, text: string) => writeFile(join(tallyman.directory, 'secrets', name), text)
    await put('key', 'line-one-canary\nline-two-canary\n')
    const script =
      'sed -n 2p /keys/key; echo "$URL" | sed "s/.*:\\(.*\\)@.*/word \\1/"; printf "plain c@nary%sword\\n" /; sleep 2; exit 3'
    const application = {
      name: 'shop',
      services: [
        {
          name: 'web',
          volumes: [{ name: 'keys', secret: { items: [{ name: 'key', secret: 'key' }] } }],
          strategy: {
            type: 'Recreate',
            recreate: {
              pre: {
                failurePolicy: 'Abort',
                execNewPod: {
                  containerName: 'web',
                  command: ['sh', '-c'],
                  args: [script],
                  volumes: ['keys'],
                  env: { URL: 'postgres://shop:$' + '{WORD}@db/shop' },
                },
              },
            },
          },
          variables: [{ name: 'WORD', 'value-from-vault-secret': { vault: 'v', secret: 's', key: 'word' } }],
          containers: [
            {
              name: 'web',
              image: `${scene.prefix}/app:1`,
              mounts: [{ 'volume-name': 'keys', 'mount-path': '/keys' }],
            },
          ],
        },
      ],
    }
    await mkdir(join(tallyman.directory, 'secrets/v/s'), { recursive: true })
    await put('v/s/word', 'c@nary/word')
    await scene.commit({ services: [{ name: 'shop' }], skipConfirmation: true }, 'Add', {
      'applications/shop.yaml': stringify(application),
    })
    const first = tallyman.start('apply')
    await waitUntil('the hook runs', async () =>
      (await scene.containers()).some(({ state }) => state === 'running'),
    )
    first.signal('SIGKILL')
    await first.ended
    const second = await tallyman.run('apply')
    expectCode(second, 1)
    const told = await Promise.all([tallyman.run('show', '2'), tallyman.run('log'), tallyman.run('status')])
    const words = [second, ...told].map(({ stdout, stderr }) => stdout + stderr).join('\n')
    expect(words).to.include('failed with exit code 3: [REDACTED] | word [REDACTED] | plain [REDACTED]')
    // The plan shows what the repository has the hook run, which says parts of a secret by itself.
    const said = words.split('\n').filter(line => !line.includes('pre hook (Abort): sh -c'))
    expect(said.join('\n')).not.to.match(/line-two|nary|%2F/)
  })
})
