import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import { resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { variantFor } from '../../../lib/state/application/desired.ts'
import { type Files, snapshotOf } from '../../support/builders/snapshot.ts'

/** Returns what is asked on the site `west` of the environment `prod`, and what is warned of there. */
async function heeded(files: Files): Promise<readonly [boolean, readonly string[]]> {
  const place = { name: 'prod', directory: 'environments/prod' }
  const desired = variantFor(
    await resolve(snapshotOf(files), place, {
      ...{ source: 'ops/manifests', policy: strictPolicy, healthyMs: 10_000 },
      ...{ sandboxImage: 'pause:1', secrets: anySecrets },
    }),
    'west',
  )
  return [desired.skipConfirmation, desired.warnings.map(formatProblem)]
}

const skips = '{"services": [],\n "skipConfirmation": true}'

describe('skipConfirmation in a manifest in which it does not count', () => {
  it('E15 G13 is warned of in a file that is included, whatever it says, with its place', async () => {
    expect(
      await heeded({
        'environments/prod/manifest.json': '{"includes": ["../../base.json", "../../asks.json"]}',
        'base.json': skips,
        'asks.json': '{"skipConfirmation": false}',
      }),
    ).to.deep.equal([
      false,
      [
        'base.json:2:22: /skipConfirmation does not count here, but only in the manifest of the environment itself (confirmation-ignored)',
        'asks.json:1:22: /skipConfirmation does not count here, but only in the manifest of the environment itself (confirmation-ignored)',
      ],
    ])
  })

  it('E15 A70 G13 is warned of in the manifest of a site, also if that says nothing else', async () => {
    expect(
      await heeded({
        'environments/prod/manifest.json': '{"includes": []}',
        'environments/prod/sites/west/manifest.json': skips,
      }),
    ).to.deep.equal([
      false,
      [
        'environments/prod/sites/west/manifest.json:2:22: /skipConfirmation does not count here, but only in the manifest of the environment itself (confirmation-ignored)',
      ],
    ])
  })

  it('E15 is not warned of where it counts: in the own manifest of an environment, also if another one includes that', async () => {
    const files = {
      'environments/prod/manifest.json': '{"includes": ["../test/manifest.json"], "skipConfirmation": true}',
      'environments/test/manifest.json': skips,
    }
    expect(await heeded(files)).to.deep.equal([true, []])
  })
})
