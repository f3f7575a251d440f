/** Generated from schemas/config.schema.json by schemas/generate.ts; edit that schema instead. */

/**
 * tallyman.yaml: everything has a default; a repository's URL is enough.
 */
export interface TallymanConfiguration {
  /**
   * Where the manifests are.
   */
  repository?: {
    /**
     * http(s)://, file:// or a directory.
     */
    url: string
    /**
     * Branch, tag or commit; default: the default branch.
     */
    ref?: string
    auth?: {
      username?: string
      passwordFile?: string
      tokenFile?: string
    }
  }
  /**
   * Which environments to run; default: the only one in the repository.
   *
   * @minItems 1
   */
  environments?: [string, ...string[]]
  /**
   * An interval such as 60s, or a cron expression.
   */
  poll?: string
  /**
   * What left the manifest (D3).
   */
  prune?: 'confirm' | 'auto' | 'never'
  /**
   * What was changed from outside (D9).
   */
  drift?: 'repair' | 'report' | 'confirm'
  /**
   * Prefix for image names without a registry.
   */
  registry?: string
  registries?: {
    host: string
    username: string
    passwordFile: string
  }[]
  /**
   * The Docker Engines; default: one site "local", the local socket.
   *
   * @minItems 1
   */
  sites?: [
    {
      name: string
      endpoint?: string
      tls?: {
        ca: string
        cert: string
        key: string
      }
      /**
       * @minItems 1
       */
      environments?: [string, ...string[]]
    },
    ...{
      name: string
      endpoint?: string
      tls?: {
        ca: string
        cert: string
        key: string
      }
      /**
       * @minItems 1
       */
      environments?: [string, ...string[]]
    }[]
  ]
  /**
   * What a repository may demand that would make it root on the host (G23); everything is refused by default.
   */
  policy?: {
    privileged?: boolean
    hostMounts?: string[]
    hostNetwork?: boolean
    hostPid?: boolean
    hostIpc?: boolean
    capabilities?: string[]
    devices?: string[]
    securityOptions?: string[]
    volumeDrivers?: string[]
    sysctls?: string[]
    ports?: {
      privileged?: boolean
      anyAddress?: boolean
    }
  }
  /**
   * What holds the network of instances with several containers or with probes.
   */
  sandbox?: {
    image?: string
  }
  /**
   * Which images are kept for a rollback, and whether older ones of ours are removed (A6).
   */
  images?: {
    prune?: boolean
    /**
     * Versions of each application, the one that runs included.
     */
    keep?: number
  }
  /**
   * What answers the requests of users; "off" for no routes at all, "external" for a Caddy of the operator's.
   */
  ingress?:
    | {
        /**
         * Routes are given to a Caddy of the operator's with the label tallyman.ingress.
         */
        external?: true
        /**
         * Caddy 2.6 or newer, with wget.
         */
        image?: string
        http?: {
          port?: number
          /**
           * @minItems 1
           */
          addresses?: [string, ...string[]]
        }
        https?: {
          port?: number
          /**
           * @minItems 1
           */
          addresses?: [string, ...string[]]
        }
        /**
         * Who signs certificates; default: Let's Encrypt.
         */
        acme?: {
          /**
           * an address of a person
           */
          email?: string
          /**
           * an address of a directory
           */
          directory?: string
          /**
           * a PEM file
           */
          root?: string
        }
        /**
         * The operator's own; they go before any other for the hosts they name.
         */
        certificates?: {
          cert: string
          key: string
        }[]
        /**
         * Whose X-Forwarded headers are believed.
         */
        trustedProxies?: string[]
        accessLog?: boolean
        /**
         * Where the networks between the ingress and applications get their addresses.
         */
        subnets?: string
        /**
         * How long a request waits for an instance that takes it.
         */
        hold?: string
        /**
         * An HTML file.
         */
        unavailablePage?: string
        /**
         * Where load balancers in front ask /healthz.
         */
        health?: {
          port: number
          /**
           * @minItems 1
           */
          addresses?: [string, ...string[]]
        }
      }
    | string
  /**
   * Where secrets come from, besides the environment variables TALLYMAN_SECRET_… (G16).
   */
  secrets?: {
    /**
     * Each file below it is a secret.
     */
    directory?: string
    /**
     * Private age keys for SOPS files in the repository.
     */
    ageKeyFile?: string
  }
  /**
   * How long an instance without a health check must run without a restart to pass the gate.
   */
  healthyTime?: string
  /**
   * How long an approval holds.
   */
  approvalExpires?: string
  /**
   * One SQLite file, the git objects, the control socket.
   */
  stateDir?: string
  log?: {
    level?: 'debug' | 'info' | 'warn' | 'error'
    format?: 'auto' | 'pretty' | 'json'
  }
}
