//! Published files, fetched over the network when, and only when, this is called.
