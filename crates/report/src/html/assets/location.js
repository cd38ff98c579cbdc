// The view in the address behind `#`, so that it can be linked: `#class=ranked_low&flag=label_suspect&q=17`. A hash without a known
// name and `=` (a section's anchor) is ignored. Filtering replaces the history entry; opening a question adds one, so that
// Back closes it.

const TEXT_KEYS = ["class", "flag", "tag", "kind", "search", "sort", "q"];

/** Nothing filtered, the worst first, no question open. */
function emptyView() {
  return { class: "", flag: "", tag: "", kind: "", search: "", sort: "", q: "" };
}

/** The view of a hash; `null` for other hashes. */
function viewOf(hash) {
  const view = emptyView();
  const text = hash.replace(/^#/, "");
  if (text === "") return view;
  const parameters = new URLSearchParams(text);
  const isOurs = text.includes("=") && TEXT_KEYS.some((key) => parameters.has(key));
  if (!isOurs) return null;
  for (const key of TEXT_KEYS) view[key] = parameters.get(key) || "";
  return view;
}

/** The hash of a view, `#` included; empty for the default view. */
function hashOf(view) {
  const parameters = new URLSearchParams();
  for (const key of TEXT_KEYS) if (view[key] !== "") parameters.set(key, view[key]);
  const text = parameters.toString();
  return text === "" ? "" : `#${text}`;
}

/** Writes the view into the address; `isNew` adds a history entry. */
function writeLocation(view, isNew) {
  const hash = hashOf(view);
  if (hash === location.hash) return;
  const address = hash === "" ? location.href.split("#")[0] : hash;
  try {
    if (isNew) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  } catch (_) {
    // In a frame without an address, the page works but its links do not.
  }
}

/** Calls `apply` with the view when the hash changes from outside: a link, Back, the address bar. */
function followLocation(apply) {
  let last = location.hash;
  const follow = () => {
    if (location.hash === last) return;
    last = location.hash;
    const view = viewOf(last);
    if (view) apply(view);
  };
  window.addEventListener("hashchange", follow);
  window.addEventListener("popstate", follow);
  return () => (last = location.hash);
}
