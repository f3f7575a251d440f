/** Generated from schemas/config.schema.json by schemas/generate.ts; edit that schema instead. */

export type Environment = string
/**
 * A time zone of the IANA database, or UTC.
 */
export type Timezone = string
/**
 * When applications may be upgraded (A60): windows of the provider of the site, or those of the provider and of the owner.
 */
export type Windows =
  | Window[]
  | {
      provider?: Window[]
      owner?: Window[]
    }

/**
 * tallyman.yaml: the URL of the repository is enough, since everything else has a default.
 */
export interface TallymanConfiguration {
  /**
   * Where editors find the schema of this file. Tallyman ignores it.
   */
  $schema?: string
  /**
   * The repository that holds the manifests.
   */
  repository?: {
    /**
     * http(s)://, ssh://, user@host:path, file:// or a directory.
     */
    url: string
    /**
     * The name that the repository keeps when it moves; default: the path of its URL.
     */
    name?: string
    /**
     * Branch, tag or commit; default: the default branch.
     */
    ref?: string
    /**
     * Who is named as the author of commits that tallyman makes; default: whoever asks for them.
     */
    author?: {
      name: string
      email: string
    }
    /**
     * What must be signed before tallyman uses a commit, and whose signatures count.
     */
    verify?: {
      /**
       * What must be signed: nothing, the commit that the ref points to, or the annotated tag that the ref names.
       */
      mode: 'none' | 'head' | 'tag'
      /**
       * Files with public keys: OpenPGP, SSH, or OpenSSH's allowed_signers.
       *
       * @minItems 1
       */
      keys?: [string, ...string[]]
    }
    auth?: {
      username?: string
      passwordFile?: string
      tokenFile?: string
      /**
       * A file with an OpenSSH private key that has no passphrase.
       */
      sshKeyFile?: string
      /**
       * A file with the trusted host keys, in the format of OpenSSH's known_hosts.
       */
      knownHostsFile?: string
      /**
       * A GitHub App whose installation may read the repository.
       */
      githubApp?: {
        /**
         * The id of the app, or its client id.
         */
        appId: number | string
        /**
         * The number at the end of the address of the installation's settings.
         */
        installationId: number | string
        /**
         * The key of the app, as PEM.
         */
        privateKeyFile: string
        /**
         * Where the API is; https://HOST/api/v3 of a GitHub Enterprise Server.
         */
        apiUrl?: string
      }
    }
  }
  /**
   * The environments to run; default: the only one in the repository.
   *
   * @minItems 1
   */
  environments?: [Environment, ...Environment[]]
  /**
   * An interval such as 60s, or a cron expression.
   */
  poll?: string
  /**
   * What to do with services that are no longer in the manifest (D3).
   */
  prune?: 'confirm' | 'auto' | 'never'
  /**
   * What to do about containers that were changed from outside (D9).
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
    /**
     * The host that issues the tokens of the registry, if it is another host. It receives the login, too.
     */
    tokenHost?: string
  }[]
  /**
   * The Docker Engines; default: one site "local" on the local socket.
   *
   * @minItems 1
   */
  sites?: [
    {
      name: string
      endpoint?: string
      /**
       * What the engine is: one host (default), or a manager of a Docker Swarm.
       */
      kind?: 'host' | 'swarm'
      /**
       * On a Swarm, the endpoints of further managers, which are asked when one before them cannot be.
       *
       * @minItems 1
       */
      managers?: [string, ...string[]]
      /**
       * On a Swarm, how the name of a service is answered: with one virtual address (default), or with the addresses of its tasks.
       */
      endpointMode?: 'vip' | 'dnsrr'
      /**
       * On a Swarm, where the ports of a service are published: on every node (default), or on the nodes that run it.
       */
      publishMode?: 'ingress' | 'host'
      /**
       * On a Swarm, which nodes run the ingress, and where it keeps what it writes; default: each node runs one, and keeps nothing.
       */
      ingress?: {
        /**
         * The id of the only node that runs it, and has its volume.
         */
        node?: string
        /**
         * The labels of the nodes that run it.
         */
        nodeLabels?: {
          [k: string]: string
        }
        /**
         * How nodes make its volume, so that all of them have the same one.
         */
        storage?: {
          driver?: string
          driver_opts?: {
            [k: string]: string
          }
        }
      }
      /**
       * How to log in at the host of an ssh:// endpoint. One of knownHostsFile and hostKey is needed.
       */
      ssh?: {
        /**
         * A file with an OpenSSH private key that has no passphrase.
         */
        keyFile: string
        /**
         * A file with the trusted host keys, in the format of OpenSSH's known_hosts.
         */
        knownHostsFile?: string
        /**
         * The host's public key, in place of a file.
         */
        hostKey?: string
      }
      tls?: {
        ca: string
        cert: string
        key: string
      }
      /**
       * @minItems 1
       */
      environments?: [Environment, ...Environment[]]
      labels?: Labels
      /**
       * Profiles under siteProfiles, whose labels the site has as well.
       *
       * @minItems 1
       */
      profiles?: [string, ...string[]]
      timezone?: Timezone
      windows?: Windows
    },
    ...{
      name: string
      endpoint?: string
      /**
       * What the engine is: one host (default), or a manager of a Docker Swarm.
       */
      kind?: 'host' | 'swarm'
      /**
       * On a Swarm, the endpoints of further managers, which are asked when one before them cannot be.
       *
       * @minItems 1
       */
      managers?: [string, ...string[]]
      /**
       * On a Swarm, how the name of a service is answered: with one virtual address (default), or with the addresses of its tasks.
       */
      endpointMode?: 'vip' | 'dnsrr'
      /**
       * On a Swarm, where the ports of a service are published: on every node (default), or on the nodes that run it.
       */
      publishMode?: 'ingress' | 'host'
      /**
       * On a Swarm, which nodes run the ingress, and where it keeps what it writes; default: each node runs one, and keeps nothing.
       */
      ingress?: {
        /**
         * The id of the only node that runs it, and has its volume.
         */
        node?: string
        /**
         * The labels of the nodes that run it.
         */
        nodeLabels?: {
          [k: string]: string
        }
        /**
         * How nodes make its volume, so that all of them have the same one.
         */
        storage?: {
          driver?: string
          driver_opts?: {
            [k: string]: string
          }
        }
      }
      /**
       * How to log in at the host of an ssh:// endpoint. One of knownHostsFile and hostKey is needed.
       */
      ssh?: {
        /**
         * A file with an OpenSSH private key that has no passphrase.
         */
        keyFile: string
        /**
         * A file with the trusted host keys, in the format of OpenSSH's known_hosts.
         */
        knownHostsFile?: string
        /**
         * The host's public key, in place of a file.
         */
        hostKey?: string
      }
      tls?: {
        ca: string
        cert: string
        key: string
      }
      /**
       * @minItems 1
       */
      environments?: [Environment, ...Environment[]]
      labels?: Labels
      /**
       * Profiles under siteProfiles, whose labels the site has as well.
       *
       * @minItems 1
       */
      profiles?: [string, ...string[]]
      timezone?: Timezone
      windows?: Windows
    }[]
  ]
  /**
   * A directory with a file for each further site; default: there is none. Relative paths begin at this file.
   */
  sitesDirectory?: string
  /**
   * What several sites have in common, by a name that the sites list under profiles.
   */
  siteProfiles?: {
    [k: string]: {
      labels?: Labels1
      windows?: Windows
    }
  }
  /**
   * What a repository may ask for that gives it power over the host (G23). What is not allowed here, or by a default, is refused.
   */
  policy?: {
    privileged?: boolean
    hostMounts?: string[]
    hostNetwork?: boolean
    hostPid?: boolean
    hostIpc?: boolean
    oomProtection?: boolean
    capabilities?: string[]
    devices?: string[]
    securityOptions?: string[]
    volumeDrivers?: string[]
    /**
     * The servers whose shares may be mounted; * stands for all servers.
     */
    remoteVolumes?: string[]
    logDrivers?: string[]
    sysctls?: string[]
    ports?: {
      privileged?: boolean
      anyAddress?: boolean
    }
    /**
     * Which hosts, secrets and ports each application may use. If one application lists a kind, the others may use nothing of that kind that they do not list themselves.
     */
    applications?: {
      [k: string]: {
        hosts?: string[]
        secrets?: string[]
        ports?: (number | string)[]
      }
    }
  }
  /**
   * The container that holds the network of an instance with several containers or with probes.
   */
  sandbox?: {
    image?: string
  }
  /**
   * The service that tells the apps of pods what they are (C53). Without it, pods have no AC_METADATA_URL.
   */
  metadata?: {
    /**
     * The image of tallyman, which runs it.
     */
    image: string
    /**
     * The range from which the networks between the service and the pods take their addresses.
     */
    subnets?: string
  }
  /**
   * How many images are kept for rollbacks, and whether tallyman removes older images of its applications (A6).
   */
  images?: {
    prune?: boolean
    /**
     * How many versions of each application are kept, including the running one.
     */
    keep?: number
  }
  /**
   * The proxy that answers the requests of users. "off": no routes at all; "external": a Caddy that the operator runs.
   */
  ingress?:
    | {
        /**
         * Tallyman configures a Caddy that the operator runs with the label tallyman.ingress.
         */
        external?: true
        /**
         * An image of Caddy 2.6 or newer that contains wget.
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
         * The authority that issues certificates; default: Let's Encrypt.
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
         * The operator's own certificates. They take precedence for the hosts that they name.
         */
        certificates?: {
          cert: string
          key: string
        }[]
        /**
         * The proxies whose X-Forwarded headers are trusted.
         */
        trustedProxies?: string[]
        accessLog?: boolean
        /**
         * The address range for the networks between the ingress and the applications.
         */
        subnets?: string
        /**
         * How long a request waits for an instance that accepts it.
         */
        hold?: string
        /**
         * An HTML file that users see while no instance is available.
         */
        unavailablePage?: string
        /**
         * The ports and addresses of the ingress for single environments, by name or by directory. Settings that are left out are those for all environments.
         */
        environments?: {
          [k: string]: {
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
            health?: {
              port?: number
              /**
               * @minItems 1
               */
              addresses?: [string, ...string[]]
            }
          }
        }
        /**
         * The port at which load balancers in front of the ingress ask for /healthz.
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
   * The providers of secrets, besides the environment variables TALLYMAN_SECRET_… (G16).
   */
  secrets?: {
    /**
     * A directory in which each file is a secret.
     */
    directory?: string
    /**
     * A file with the private age keys for SOPS files in the repository.
     */
    ageKeyFile?: string
  }
  /**
   * How long an instance without a health check must run without a restart to pass its health gate.
   */
  healthyTime?: string
  /**
   * Every healthy time of a deployment that is longer is cut to this one. For test environments, where a deployment of hours should take minutes.
   */
  longestHealthyTime?: string
  /**
   * How long a site of a deployment may fail in a way that is tried again by itself, before the deployment fails there.
   */
  progressDeadline?: string
  /**
   * Whether what is forgiven with a warning in pod manifests is an error.
   */
  strict?: boolean
  /**
   * How long an approval stays valid.
   */
  approvalExpires?: string
  /**
   * How many failed containers of each service are kept instead of removed. They are stopped, detached from every network and renamed.
   */
  keepFailed?: number
  /**
   * The directory of the SQLite file, the git objects and the control socket.
   */
  stateDir?: string
  log?: {
    level?: 'debug' | 'info' | 'warn' | 'error'
    format?: 'auto' | 'pretty' | 'json'
  }
}
/**
 * What deployments select the site by.
 */
export interface Labels {
  [k: string]: string
}
export interface Window {
  /**
   * The days on which the window opens, such as "Monday, Tuesday"; default: every day.
   */
  daysOfWeek?: string | string[]
  /**
   * When it opens, by the clocks of the time zone: "02:00".
   */
  startTime: string | number
  /**
   * A time zone of the IANA database, or UTC.
   */
  timezone?: string
  /**
   * How long it is open, at most 7d.
   */
  duration: string
}
export interface Labels1 {
  [k: string]: string
}
