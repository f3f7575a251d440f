/** Which pods a container of the metadata service could tell of, when it was last asked. Losing it costs only time. */
export type Registered = { readonly service: string; readonly uuids: ReadonlySet<string> }
