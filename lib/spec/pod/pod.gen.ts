/** Generated from schemas/pod.schema.json by schemas/generate.ts; edit that schema instead. */

/**
 * The program and its arguments. No shell reads them.
 *
 * @maxItems 1024
 */
export type Exec = string[]

/**
 * applications/NAME.json with "acKind": "PodManifest": several apps that share one context, as the App Container specification describes them.
 */
export interface PodManifest {
  /**
   * Where editors find the schema of this file. Tallyman ignores it.
   */
  $schema?: string
  /**
   * The version of the App Container specification: 0.8.11, or an earlier one of its major version.
   */
  acVersion: string
  /**
   * What the file is.
   */
  acKind: 'PodManifest'
  /**
   * The apps, which start together.
   *
   * @minItems 1
   * @maxItems 64
   */
  apps: [PodApp, ...PodApp[]]
  /**
   * What the apps can mount.
   *
   * @maxItems 256
   */
  volumes?: Volume[]
  /**
   * What bounds the pod as a whole.
   *
   * @maxItems 256
   */
  isolators?: Isolator[]
  /**
   * What the apps can ask the metadata service for.
   *
   * @maxItems 1024
   */
  annotations?: Annotation[]
  /**
   * Ports of apps that are published on the host.
   *
   * @maxItems 1024
   */
  ports?: PodPort[]
  userAnnotations?: Texts
  userLabels?: Texts
}
/**
 * One app.
 */
export interface PodApp {
  /**
   * The name of the app in the pod.
   */
  name: string
  /**
   * What the app runs from.
   */
  image: {
    /**
     * What the image consists of: sha256- and the digest that registries know, or sha512- and that of an archive. A template names an image and the label version instead.
     */
    id?: string
    /**
     * The name of the image.
     */
    name?: string
    /**
     * What the image is: its version, os and arch.
     *
     * @maxItems 256
     */
    labels?: Label[]
  }
  app?: App
  /**
   * Whether its own file system is read-only.
   */
  readOnlyRootFS?: boolean
  /**
   * Which volumes are mounted where.
   *
   * @maxItems 256
   */
  mounts?: Mount[]
  /**
   * What is added to the annotations of the image.
   *
   * @maxItems 1024
   */
  annotations?: Annotation[]
}
/**
 * A name and a text that characterise the image.
 */
export interface Label {
  /**
   * The name: version, os, arch or another one; each stands once.
   */
  name: string
  /**
   * The text.
   */
  value: string
}
/**
 * How an app runs. It replaces what the image says of itself completely.
 */
export interface App {
  exec?: Exec
  /**
   * A number or a name of the image, or a path whose owner is meant.
   */
  user: string
  /**
   * A number or a name of the image, or a path whose group is meant.
   */
  group: string
  /**
   * Further groups, by number.
   *
   * @maxItems 256
   */
  supplementaryGIDs?: number[]
  /**
   * An absolute path that the image has. The default is /.
   */
  workingDirectory?: string
  /**
   * The variables of the app.
   *
   * @maxItems 4096
   *
   * Items: A variable.
   */
  environment?: {
    /**
     * The name.
     */
    name: string
    /**
     * The text, in which nothing is replaced.
     */
    value: string
  }[]
  /**
   * Programs that run before and after the main program.
   *
   * @maxItems 16
   */
  eventHandlers?:
    | []
    | [EventHandler]
    | [EventHandler, EventHandler]
    | [EventHandler, EventHandler, EventHandler]
    | [EventHandler, EventHandler, EventHandler, EventHandler]
    | [EventHandler, EventHandler, EventHandler, EventHandler, EventHandler]
    | [EventHandler, EventHandler, EventHandler, EventHandler, EventHandler, EventHandler]
    | [EventHandler, EventHandler, EventHandler, EventHandler, EventHandler, EventHandler, EventHandler]
    | [EventHandler, EventHandler, EventHandler, EventHandler, EventHandler, EventHandler, EventHandler, EventHandler]
    | [
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler
      ]
    | [
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler
      ]
    | [
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler
      ]
    | [
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler
      ]
    | [
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler
      ]
    | [
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler
      ]
    | [
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler
      ]
    | [
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler,
        EventHandler
      ]
  /**
   * Places where the app expects volumes.
   *
   * @maxItems 256
   */
  mountPoints?: MountPoint[]
  /**
   * Ports on which the app listens.
   *
   * @maxItems 1024
   */
  ports?: Port[]
  /**
   * What bounds the app.
   *
   * @maxItems 256
   */
  isolators?: Isolator[]
  userAnnotations?: Texts
  userLabels?: Texts
}
/**
 * A program that runs in the app before or after its main program.
 */
export interface EventHandler {
  /**
   * When it runs.
   */
  name: 'pre-start' | 'post-stop'
  exec?: Exec
}
/**
 * A place where an app expects a volume.
 */
export interface MountPoint {
  /**
   * The name of the place; a volume of the same name fits.
   */
  name: string
  /**
   * The absolute path in the app.
   */
  path: string
  /**
   * Whether the app only reads there.
   */
  readOnly?: boolean
}
/**
 * A port on which an app listens.
 */
export interface Port {
  /**
   * The name of the port.
   */
  name: string
  /**
   * The protocol.
   */
  protocol: 'tcp' | 'udp' | 'sctp'
  /**
   * The number.
   */
  port: number
  /**
   * How many ports follow each other from that number on.
   */
  count?: number
  /**
   * Whether the app is handed an open socket, which Docker cannot do.
   */
  socketActivated?: boolean
}
/**
 * One way of bounding something.
 */
export interface Isolator {
  /**
   * Which one, such as resource/memory.
   */
  name: string
  /**
   * What it is set to. Its form depends on the name.
   */
  value?: {
    [k: string]: unknown
  }
}
/**
 * Texts for people and other tools. They change nothing.
 */
export interface Texts {
  [k: string]: string
}
/**
 * Which volume is mounted at which place.
 */
export interface Mount {
  /**
   * A volume of the pod, unless there is an appVolume.
   */
  volume: string
  /**
   * The absolute path in the app.
   */
  path: string
  appVolume?: Volume
}
/**
 * A directory that apps can mount.
 */
export interface Volume {
  /**
   * The name by which it is mounted.
   */
  name: string
  /**
   * Whether it is an empty directory that lives as long as the pod, or one of the host.
   */
  kind: 'empty' | 'host'
  /**
   * The directory of the host: an absolute path, for the kind host.
   */
  source?: string
  /**
   * Whether apps only read it. It decides before what a mount point says.
   */
  readOnly?: boolean
  /**
   * Whether what is mounted below it on the host is mounted too; true by default.
   */
  recursive?: boolean
  /**
   * The permissions of an empty volume, such as "0755".
   */
  mode?: string
  /**
   * The owner of an empty volume, by number.
   */
  uid?: number
  /**
   * The group of an empty volume, by number.
   */
  gid?: number
}
/**
 * A name and a text.
 */
export interface Annotation {
  /**
   * The name; each stands once in its list.
   */
  name: string
  /**
   * Any text. That of "created" is a date, and those of "homepage" and "documentation" are URLs.
   */
  value: string
}
/**
 * A port of an app that is published.
 */
export interface PodPort {
  /**
   * The name of the port of exactly one app, unless there is a podPort.
   */
  name: string
  /**
   * The port of the host.
   */
  hostPort: number
  /**
   * The IPv4 address of the host. Without it, all of them.
   */
  hostIP?: string
  podPort?: Port
}
