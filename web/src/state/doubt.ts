/** Called when no connection from before is to be trusted. What holds one puts itself in here. */
export const onDoubt = new Set<() => void>();
