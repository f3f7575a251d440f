/** A named volume of ours, by its name on the engine; never removed by a reconcile (D3). */
export type Volume = {
  readonly name: string
  readonly application: string
  readonly driver?: string
  readonly driverOptions?: Readonly<Record<string, string>>
  /** The directory of the host that its options bind, which must not lead out of the allowed one by a symlink (G23). */
  readonly binds?: { readonly path: string; readonly within: string }
}
