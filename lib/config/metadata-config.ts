import type { TallymanConfiguration as File } from '../config.gen.ts'
import { readImage } from '../spec/image.ts'
import type { Image } from '../state/application/container/container.ts'
import { isPool } from './ingress-config.ts'
import type { NoteFault } from './listeners.ts'

/** Where the metadata service of pods comes from, and the range of the addresses between it and pods. */
export type MetadataConfig = { readonly image: Image; readonly pool: string }

/** Reads the settings of the metadata service. Undefined if there are none, or if a fault was noted. */
export function readMetadataConfig(written: File['metadata'], fault: NoteFault): MetadataConfig | undefined {
  if (written === undefined) return undefined
  const { image: text, subnets: pool = '10.202.0.0/16' } = written
  const image = readImage(text)
  if (!image.ok) fault('/metadata/image', `"${text}" ${image.reason}`)
  if (!isPool(pool))
    fault('/metadata/subnets', `"${pool}" is no range to take subnets of 64 addresses from, as 10.202.0.0/16`)
  return image.ok ? { image: { ...image.value, configuredIn: 'metadata' }, pool } : undefined
}
