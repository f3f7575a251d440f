import type { Image } from '../../state/application/container/container.ts'
import type { ImageDeclaration } from '../../state/image/declaration.ts'
import type { Secrets } from '../../state/secret/secrets.ts'
import type { Policy } from '../policy/policy.ts'
import type { Size } from './size.ts'

/**
 * What an image says of how it runs, or that nobody told when they were asked. Where nobody was asked yet, there is
 * neither.
 */
export type Declared = ImageDeclaration | 'unknown'

/** What an application is built with besides its specification. */
export type BuildContext = {
  /** What the environment is called on engines. Names of networks and volumes begin with it. */
  readonly environment: string
  /** The name in the repository, which applications are told. */
  readonly environmentName: string
  /** Its directory in the repository. */
  readonly directory: string
  /** The registry that precedes a `dockerName` without one (E24). */
  readonly registry?: string
  readonly policy: Policy
  /** How long an instance without a health check has to run, unless the specification says otherwise. */
  readonly healthyMs: number
  /** The image of sandboxes; a valid reference. */
  readonly sandboxImage: string
  readonly secrets: Secrets
  /** The range of the addresses between pods and the metadata service; absent: there is none, and nobody asks it. */
  readonly metadata?: { readonly pool: string }
  /** Whether what is forgiven with a warning in pod manifests is an error (D12, D14, C40). */
  readonly strict?: boolean
  /** Returns what an image says of how it runs; absent: nobody is asked. */
  readonly declared?: (image: Image) => Declared | undefined
  /** Whether a site of the environment is a Swarm, which can publish one port for several instances. */
  readonly onSwarms?: true
  /** The size of the applications before it in the environment; absent: there are none. */
  readonly taken?: Size
  /** How many specifications share the limits of the environment; absent: this one is alone. */
  readonly specifications?: number
  /** Absent: there is no ingress, and nothing has a route. */
  readonly ingress?: {
    /** The range of the addresses of gates. */
    readonly pool: string
    /** How long a request waits for an instance, unless the route says otherwise. */
    readonly holdMs: number
    /** Whether a route with `tls: auto` can have a certificate; absent: nobody knows of any host. */
    readonly obtainable?: (host: string) => Obtainable
  }
}

/**
 * `perhaps`: only a private authority can sign for the host, and may not. `partly`: there are certificates for some of
 * the hosts that its star stands for.
 */
export type Obtainable = 'yes' | 'perhaps' | 'partly' | 'no'
