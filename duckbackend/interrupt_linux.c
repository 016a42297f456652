//go:build !duckdb_use_lib

#include "allocate.h"
#include "duckdb_linux.h"
#include "refuse.h"

// DuckDB asks whether a statement was interrupted between the chunks that a pipeline
// takes, and between the passes of its optimizer. A lambda over a list evaluates an
// expression for each of its elements meanwhile, nested ones for each pair of elements;
// binding and optimizing take seconds for some statements. Here it is asked where an
// expression is evaluated, and where the parts of one are visited. Both end in exceptions
// at other times as well.

extern void _ZN6duckdb18InterruptExceptionC1Ev(void *exception);
extern void _ZN6duckdb18InterruptExceptionD1Ev(void *exception);
extern char _ZTIN6duckdb18InterruptExceptionE[];

static void __attribute__((noreturn, cold)) interrupted(void) {
	void *exception = __cxa_allocate_exception(exception_bytes);
	_ZN6duckdb18InterruptExceptionC1Ev(exception);
	__cxa_throw(exception, _ZTIN6duckdb18InterruptExceptionE, _ZN6duckdb18InterruptExceptionD1Ev);
}

// An executor of expressions knows its connection, but for those of indexes: these work
// where nothing may fail.
extern _Bool _ZN6duckdb18ExpressionExecutor10HasContextEv(void *executor);
extern void *_ZN6duckdb18ExpressionExecutor10GetContextEv(void *executor);
extern _Bool _ZNK6duckdb13ClientContext13IsInterruptedEv(const void *context);

// The connection for which this thread evaluates an expression; NULL: none, or one of an
// index.
static __thread const void *evaluating;

const void *triremeEvaluating(void) { return evaluating; }

int triremeInterrupted(void) {
	return evaluating && triremeMayFail() && (triremeStopped() || _ZNK6duckdb13ClientContext13IsInterruptedEv(evaluating));
}

void triremeAsk(void) {
	if (triremeInterrupted())
		interrupted();
}

static void leave(const void **around) { evaluating = *around; }

// enter notes the connection for which an expression is evaluated, asks, and returns the
// connection before.
static inline const void *enter(const void *of) {
	const void *around = evaluating;
	if (of && triremeMayFail() && (triremeStopped() || _ZNK6duckdb13ClientContext13IsInterruptedEv(of)))
		interrupted();
	evaluating = of;
	return around;
}

static inline const void *context_of(void *executor) {
	return _ZN6duckdb18ExpressionExecutor10HasContextEv(executor) ? _ZN6duckdb18ExpressionExecutor10GetContextEv(executor) : NULL;
}

// Also an exception passes through what is to be done at the end.
#define EVALUATING(of) const void *around __attribute__((cleanup(leave), unused)) = enter(of)

#define EXECUTE_CHUNK(prefix) prefix##_ZN6duckdb18ExpressionExecutor7ExecuteEPNS_9DataChunkERS1_
#define EXECUTE(prefix) prefix##_ZN6duckdb18ExpressionExecutor7ExecuteERKNS_10ExpressionEPNS_15ExpressionStateEPKNS_15SelectionVectorEmRNS_6VectorE

void EXECUTE_CHUNK(__real_)(void *executor, void *in, void *out);

void EXECUTE_CHUNK(__wrap_)(void *executor, void *in, void *out) {
	EVALUATING(context_of(executor));
	EXECUTE_CHUNK(__real_)(executor, in, out);
}

void EXECUTE(__real_)(void *executor, const void *expression, void *state, const void *selected, uint64_t count, void *result);

void EXECUTE(__wrap_)(void *executor, const void *expression, void *state, const void *selected, uint64_t count, void *result) {
	EVALUATING(context_of(executor));
	EXECUTE(__real_)(executor, expression, state, selected, count, result);
}

// Of a constant that is folded, the outermost function is called within DuckDB's executor.
#define FOLD(prefix) prefix##_ZN6duckdb18ExpressionExecutor14EvaluateScalarERNS_13ClientContextERKNS_10ExpressionEb
#define TRY_TO_FOLD(prefix) prefix##_ZN6duckdb18ExpressionExecutor17TryEvaluateScalarERNS_13ClientContextERKNS_10ExpressionERNS_5ValueE

struct made FOLD(__real_)(const void *context, const void *expression, _Bool unfoldable);

struct made FOLD(__wrap_)(const void *context, const void *expression, _Bool unfoldable) {
	EVALUATING(context);
	return FOLD(__real_)(context, expression, unfoldable);
}

_Bool TRY_TO_FOLD(__real_)(const void *context, const void *expression, void *value);

_Bool TRY_TO_FOLD(__wrap_)(const void *context, const void *expression, void *value) {
	EVALUATING(context);
	return TRY_TO_FOLD(__real_)(context, expression, value);
}

static inline void ask_planning(void) {
	if (!triremeMayFail())
		return;
	if (triremeStopped())
		interrupted();
	if (triremePlanTooLarge())
		REFUSE("SQLSTATE 53200: there is no memory for the plan of the statement\nHINT: Keep parts of it in temporary tables, or give the server a larger --memory-limit.");
}

// Functions of up to two pointers through which the passes of the binder and the optimizer
// come again and again. What they return, if anything, is a number or a pointer.
#define ASKING(name)                                      \
	uintptr_t __real_##name(void *first, void *second);   \
	uintptr_t __wrap_##name(void *first, void *second) {  \
		ask_planning();                                   \
		return __real_##name(first, second);              \
	}

// Expression::IsVolatile, IsConsistent, IsFoldable and PropagatesNullValues
ASKING(_ZNK6duckdb10Expression10IsVolatileEv)
ASKING(_ZNK6duckdb10Expression12IsConsistentEv)
ASKING(_ZNK6duckdb10Expression10IsFoldableEv)
ASKING(_ZNK6duckdb10Expression20PropagatesNullValuesEv)
// ExpressionIterator::EnumerateChildren, for expressions that change and those that are replaced
ASKING(_ZN6duckdb18ExpressionIterator17EnumerateChildrenERNS_10ExpressionERKSt8functionIFvS2_EE)
ASKING(_ZN6duckdb18ExpressionIterator17EnumerateChildrenERNS_10ExpressionERKSt8functionIFvRNS_10unique_ptrIS1_St14default_deleteIS1_ELb1EEEEE)
// LogicalOperator::ResolveOperatorTypes
ASKING(_ZN6duckdb15LogicalOperator20ResolveOperatorTypesEv)
// LogicalOperatorVisitor::VisitOperatorChildren and VisitOperatorExpressions
ASKING(_ZN6duckdb22LogicalOperatorVisitor21VisitOperatorChildrenERNS_15LogicalOperatorE)
ASKING(_ZN6duckdb22LogicalOperatorVisitor24VisitOperatorExpressionsERNS_15LogicalOperatorE)
// LogicalJoin::GetTableReferences, FilterCombiner::AddFilter
ASKING(_ZN6duckdb11LogicalJoin18GetTableReferencesERNS_15LogicalOperatorERSt13unordered_setImSt4hashImESt8equal_toImESaImEE)
ASKING(_ZN6duckdb14FilterCombiner9AddFilterENS_10unique_ptrINS_10ExpressionESt14default_deleteIS2_ELb1EEE)

// Each SELECT and each table of a statement has a number, those of the views, macros and common tables that it
// names too, as often as it names them: twenty views that name each other twice are a million SELECTs,
// of which a text has a bounded number.
enum { tables_max = 50000 };

#define TABLE_INDEX(prefix) prefix##_ZN6duckdb6Binder18GenerateTableIndexEv

uint64_t TABLE_INDEX(__real_)(void *binder);

uint64_t TABLE_INDEX(__wrap_)(void *binder) {
	ask_planning();
	uint64_t n = TABLE_INDEX(__real_)(binder);
	if (n > tables_max && triremeMayFail())
		REFUSE("SQLSTATE 54001: the statement is too complex: with the views, macros and common tables that it names it has more than 50000 SELECTs and tables\n"
		       "HINT: Keep parts of it in temporary tables.");
	return n;
}
