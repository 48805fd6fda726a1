#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/message_allocator.h>

namespace cuzk::server {

/// Makes the messages of one method in a way that lets the method change its request: a payload of 200 MB is
/// freed when it has been read, not when the call ends half an hour later.
template <class Request, class Response>
class OwnMessages : public grpc::MessageAllocator<Request, Response> {
 public:
  grpc::MessageHolder<Request, Response>* AllocateMessages() override { return new Holder; }

  /// The request of a call of this method; lives until the call is done.
  static Request& request_of(grpc::CallbackServerContext& context) {
    return static_cast<Holder*>(context.GetRpcAllocatorState())->request_message;
  }

 private:
  struct Holder : grpc::MessageHolder<Request, Response> {
    Holder() {
      this->set_request(&request_message);
      this->set_response(&response_message);
    }
    void Release() override { delete this; }
    void FreeRequest() override { request_message = Request(); }
    Request request_message;
    Response response_message;
  };
};

}  // namespace cuzk::server
