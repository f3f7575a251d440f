/**
 * A pod manifest from which nothing is left open (C4), in the form of the App Container specification: every image by
 * its id, a volume for every mount point, and the defaults spelled out.
 */
export type ReifiedManifest = {
  readonly acVersion: string
  readonly acKind: 'PodManifest'
  readonly apps: readonly ReifiedApp[]
  readonly volumes: readonly ReifiedVolume[]
  readonly isolators: readonly WrittenIsolator[]
  readonly annotations: readonly NamedText[]
  readonly ports: readonly ReifiedPort[]
  readonly userAnnotations?: Texts
  readonly userLabels?: Texts
}

export type ReifiedApp = {
  readonly name: string
  readonly image: {
    /** `sha256-` and the hex digits of the digest that runs. Absent only until the image is pinned. */
    readonly id?: string
    readonly name?: string
    readonly labels: readonly NamedText[]
  }
  /** Absent: it runs as its image says, and what that is, is not known here. */
  readonly app?: ReifiedSection
  readonly readOnlyRootFS: boolean
  /** One for each mount point, and those that are for none. */
  readonly mounts: readonly { readonly volume: string; readonly path: string }[]
  readonly annotations: readonly NamedText[]
}

/** How an app runs: the `app` section of a pod manifest or of an image manifest. */
export type ReifiedSection = {
  readonly exec?: readonly string[]
  readonly user: string
  readonly group: string
  readonly supplementaryGIDs: readonly number[]
  readonly workingDirectory: string
  readonly environment: readonly NamedText[]
  readonly eventHandlers: readonly { readonly name: string; readonly exec?: readonly string[] }[]
  readonly mountPoints: readonly {
    readonly name: string
    readonly path: string
    readonly readOnly: boolean
  }[]
  readonly ports: readonly {
    readonly name: string
    readonly protocol: 'tcp' | 'udp' | 'sctp'
    readonly port: number
    readonly count: number
    readonly socketActivated: boolean
  }[]
  readonly isolators: readonly WrittenIsolator[]
  readonly userAnnotations?: Texts
  readonly userLabels?: Texts
}

export type ReifiedVolume = { readonly name: string; readonly readOnly?: boolean } & (
  | { readonly kind: 'empty'; readonly mode: string; readonly uid: number; readonly gid: number }
  | { readonly kind: 'host'; readonly source: string; readonly recursive: boolean }
)

export type ReifiedPort = {
  readonly name: string
  readonly hostPort: number
  /** Absent: all addresses of the host. */
  readonly hostIP?: string
  readonly podPort?: object
}

export type NamedText = { readonly name: string; readonly value: string }
export type WrittenIsolator = { readonly name: string; readonly value?: unknown }
type Texts = Readonly<Record<string, string>>

/** What is said of an image by a manifest of the App Container specification (C56). */
export type ImageManifest = {
  readonly acVersion: string
  readonly acKind: 'ImageManifest'
  readonly name: string
  readonly labels: readonly NamedText[]
  readonly app?: ReifiedSection
  readonly annotations: readonly NamedText[]
}

/** What becomes of an isolator that a manifest names (C40). */
export type IsolatorOutcome = {
  /** The app that it is for; absent: it is for the whole pod. */
  readonly app?: string
  readonly isolator: string
  readonly outcome: 'enforced' | 'modified' | 'ignored'
  /** Why it is not enforced as it is written. */
  readonly reason?: string
}

/** An instance as a pod. It is told to people and to its apps, and no container is made from it. */
export type Pod = {
  readonly manifest: ReifiedManifest
  /** What each image says of itself, by the name of its app. */
  readonly images: Readonly<Record<string, ImageManifest>>
  /** In the order in which the manifest names them, those of the pod first. */
  readonly isolators: readonly IsolatorOutcome[]
}
