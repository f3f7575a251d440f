/** A named volume of Tallyman, by its name on the engine. A reconcile never removes it (D3). */
export type Volume = {
  readonly name: string
  readonly application: string
  readonly driver?: string
  readonly driverOptions?: Readonly<Record<string, string>>
  /** The directory of the host that its options bind. No symlink may lead it out of the allowed directory (G23). */
  readonly binds?: { readonly path: string; readonly within: string }
}
