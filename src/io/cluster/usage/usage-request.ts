/** Where usage may be read, according to the flags. */
export interface UsageOptions {
  /** The address of a Prometheus; without it the cluster is searched for one. */
  readonly prometheus?: string;
  /** Query the kubelets at their own port, which needs a route to the nodes and the right nodes/stats. */
  readonly kubelet?: boolean;
  /** Query the kubelets through the API server, which needs nodes/proxy. */
  readonly nodeProxy?: boolean;
  /** The authority that signed the certificates of the kubelets, if it is not that of the cluster. */
  readonly kubeletAuthority?: string;
}

/** An answer of any server to a GET, or why there is none. */
export type TextAnswer =
  | { readonly type: 'answer'; readonly status: number; readonly body: string }
  | { readonly type: 'failed'; readonly message: string };

/** How long one source may take. */
export const usagePatience = 10_000;
