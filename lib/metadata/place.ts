import { createHash } from 'node:crypto'
import { metadataName } from '../state/application/metadata.ts'
import { lastPart } from '../text/last-part.ts'

/** Where the metadata service listens in its container. */
export const port = 8080

/** Where its volume is mounted. */
export const directory = '/var/lib/tallyman-metadata'

/** Its user, who can read the files in the volume and write none. */
export const account = { uid: 65532, gid: 65532 } as const

/** The key of all signatures, below the directory. */
export const keyFile = 'key'

/** A key of HMAC-SHA512 is as long as its blocks at most, and as its results at least (RFC 2104). */
export const keyBytes = 64

/** Below the directory, what one pod is told. Nobody who reads the name can ask for the pod. */
export function recordFile(token: string): string {
  return `pods/${createHash('sha256').update(token).digest('hex')}.json`
}

/** Returns where the apps of a pod ask (C53). */
export function metadataUrl(token: string): string {
  return `http://${metadataName}:${port}/${token}`
}

/** Returns the token in such an address. */
export function tokenIn(url: string): string {
  return lastPart(url)
}
