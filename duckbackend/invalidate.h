// triremeBinding, while it has added more than it has taken back, lets no error on this thread
// end the transaction.
void triremeBinding(int change);
